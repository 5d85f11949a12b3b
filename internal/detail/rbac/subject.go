package rbac

import (
	"cmp"
	"slices"
	"strings"
)

// Subject is who a binding grants a role to.
type Subject struct {
	Kind      string `json:"kind"`                // User, Group or ServiceAccount
	Namespace string `json:"namespace,omitempty"` // of a ServiceAccount
	Name      string `json:"name"`
}

// The kinds of subjects.
const (
	User           = "User"
	Group          = "Group"
	ServiceAccount = "ServiceAccount"
)

const (
	accountUser   = "system:serviceaccount:"  // before the namespace and the name of a ServiceAccount
	accountsGroup = "system:serviceaccounts"  // all ServiceAccounts
	accountsOf    = "system:serviceaccounts:" // before a namespace: those in it
)

// normal returns the subject as it is compared, and whether the authorizer knows such subjects. The
// namespace is the binding's; a ServiceAccount is in it unless it says otherwise, and is the same as
// the User with its full name.
func (s Subject) normal(namespace string) (Subject, bool) {
	switch s.Kind {
	case User:
		if account, found := strings.CutPrefix(s.Name, accountUser); found {
			if at := strings.LastIndexByte(account, ':'); at >= 0 {
				return Subject{ServiceAccount, account[:at], account[at+1:]}, true
			}
		}
		return Subject{Kind: User, Name: s.Name}, true
	case Group:
		return Subject{Kind: Group, Name: s.Name}, true
	case ServiceAccount:
		s.Namespace = cmp.Or(s.Namespace, namespace)
		return s, s.Namespace != ""
	}
	return s, false
}

// Key identifies a subject.
func (s Subject) Key() string { return s.Kind + " " + s.Namespace + "/" + s.Name }

// nameMost is how many bytes of a name are shown. The apiserver does not limit those of users.
const nameMost = 512

// cut returns the subject with names that are not too long to show.
func (s Subject) cut() Subject {
	s.Namespace, s.Name = cut(s.Namespace), cut(s.Name)
	return s
}

func cut(name string) string {
	if len(name) <= nameMost {
		return name
	}
	return strings.ToValidUTF8(name[:nameMost], "") + "…"
}

// Is reports whether the subject is a user with some groups.
func (s Subject) Is(user string, groups []string) bool {
	switch s.Kind {
	case User:
		return s.Name == user
	case ServiceAccount:
		return user == accountUser+s.Namespace+":"+s.Name
	}
	return slices.Contains(groups, s.Name)
}

// Everyone says in words whom a group of Kubernetes' own stands for, or the user that is anybody, if that
// is everybody of a sort; else "".
func (s Subject) Everyone() string {
	if s.Kind == User && s.Name == "system:anonymous" {
		return "anyone, without signing in"
	}
	if s.Kind != Group {
		return ""
	}
	switch s.Name {
	case "system:authenticated":
		return "everyone who is signed in"
	case "system:unauthenticated":
		return "anyone, without signing in"
	case accountsGroup:
		return "every service account"
	}
	if namespace, found := strings.CutPrefix(s.Name, accountsOf); found {
		return "every service account in " + namespace
	}
	return ""
}

// builtin reports whether the subject is a part of Kubernetes: it has a name of Kubernetes' own, or is a
// ServiceAccount in kube-system, and all its bindings are Kubernetes' own. Any other binding is somebody's
// decision, such as one to system:nodes or to a user whom somebody called system:ana. So is one to those
// that stand for everybody. No binding gives anything to the group of those who can do everything.
func (s Subject) builtin(bindings bool) bool {
	switch {
	case s == Subject{Kind: Group, Name: "system:masters"}:
		return true
	case s.Everyone() != "" || !bindings:
		return false
	case s.Kind == ServiceAccount:
		return s.Namespace == "kube-system"
	}
	return strings.HasPrefix(s.Name, "system:")
}

// rank orders the kinds: first who stands for everybody, then groups, users and ServiceAccounts.
func (s Subject) rank() int {
	switch {
	case s.Everyone() != "":
		return 0
	case s.Kind == Group:
		return 1
	case s.Kind == User:
		return 2
	}
	return 3
}

// compare orders subjects by their kind, namespace and name.
func (s Subject) compare(other Subject) int {
	return cmp.Or(cmp.Compare(s.rank(), other.rank()), strings.Compare(s.Namespace, other.Namespace), strings.Compare(s.Name, other.Name))
}
