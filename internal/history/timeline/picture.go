package timeline

// Class says what kind of thing happened.
type Class string

// The classes, in the order in which they are drawn and counted.
const (
	Added     Class = "added"
	Changed   Class = "changed"
	Deleted   Class = "deleted"
	Restarted Class = "restarted" // a container
	RolledOut Class = "rollout"   // a workload's template changed
	Condition Class = "condition" // a condition of a node
	Warned    Class = "warning"   // an event of type Warning
)

// Classes are all classes.
var Classes = []Class{Added, Changed, Deleted, Restarted, RolledOut, Condition, Warned}

// Picture is what is drawn of a timeline. Times are in unix milliseconds.
type Picture struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
	Step int64 `json:"step"` // the width of a bar
	// Bars has the number of entries in each step, by class.
	Bars map[Class][]int `json:"bars"`
	// Lanes are the rows below the bars; none for a histogram alone. More is how many did not fit.
	Lanes []Lane `json:"lanes,omitempty"`
	More  int    `json:"more,omitempty"`
	Gaps  []Gap  `json:"gaps,omitempty"`
	Total int    `json:"total"`
	// Folded is how many changes the rules of noise left out.
	Folded int `json:"folded,omitempty"`
	// Partial says that kinds that the list needs are not remembered, by name.
	Partial []string `json:"partial,omitempty"`
	// Rules are all rules of noise, in the order in which they apply.
	Rules []Folding `json:"rules,omitempty"`
	// Moment is the moment of the past that the page shows; 0 if it is live.
	Moment int64 `json:"moment,omitempty"`
	// Reading is how much of what is remembered has been read, in percent; 0 if all of it has.
	Reading int `json:"reading,omitempty"`
}

// Folding is a rule of noise, and how many changes of the question it stands for.
type Folding struct {
	Name  string `json:"name"`
	Words string `json:"words"`
	Count int    `json:"count,omitempty"` // changes that it folds, or would fold
	Off   bool   `json:"off,omitempty"`   // they are shown
}

// Lane is the entries of one owner, namespace, node or kind.
type Lane struct {
	Name string `json:"name"`
	// Namespace is that of the owner; "" if it has none, or if lanes are by something else.
	Namespace string `json:"namespace,omitempty"`
	// Field and Value narrow the list timeline to the lane: "owner" and "Deployment/web". "" if
	// they can't.
	Field string `json:"field,omitempty"`
	Value string `json:"value,omitempty"`
	Marks []Mark `json:"marks"`
	Total int    `json:"total"`
}

// Mark is one entry of a lane, or several that are too close to be told apart: their worst class,
// and the words of the first of that class.
type Mark struct {
	At    int64  `json:"at"`
	To    int64  `json:"to,omitempty"`
	Class Class  `json:"class"`
	Count int    `json:"count"`
	Text  string `json:"text"`
	Said  int64  `json:"said,omitempty"` // when the entry was whose words it has, if that was later than At
	// Resource and Key name the object, as addresses do; "" if there are several.
	Resource string `json:"resource,omitempty"`
	Key      string `json:"key,omitempty"`
	// Of is the object's kind. If there are several objects, it names the one that the words are about: "Pod/web-1".
	Of string `json:"of,omitempty"`
}

// Time returns when that was which the words of the mark are about.
func (m *Mark) Time() int64 { return max(m.At, m.Said) }

// Gap is a time in which entries may be missing, and why: a word of package history.
type Gap struct {
	From int64  `json:"from"`
	To   int64  `json:"to"`
	Why  string `json:"why"`
	Kind string `json:"kind,omitempty"` // "" is all kinds
}
