package access

import (
	"fmt"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/client-go/kubernetes/scheme"

	"watchglass/internal/detail/rbac"
	"watchglass/internal/object"
)

// Question asks whether somebody may do something.
type Question struct {
	User   string
	Groups []string
	// What the authorizer is asked.
	Verb, Group, Resource, Subresource, Namespace, Name string

	about rbac.Question
	bit   rbac.Verbs
}

func (q Question) String() string {
	return fmt.Sprintf("may %s %q %s %s.%s/%s %s in %q", q.User, q.Groups, q.Verb, q.Resource, q.Group, q.Subresource, q.Name, q.Namespace)
}

// kinds are the kinds that questions are about.
var kinds = []rbac.Question{
	{Resource: "pods", ID: "pods", Namespaced: true},
	{Resource: "secrets", ID: "secrets", Namespaced: true},
	{Group: "apps", Resource: "deployments", ID: "deployments.apps", Namespaced: true},
	{Group: "example.com", Resource: "widgets", ID: "widgets.example.com", Namespaced: true},
	{Resource: "nodes", ID: "nodes"},
	{Resource: "namespaces", ID: "namespaces"},
}

// Question is a random question: about an object or a kind, in a namespace or in all.
func (w *World) Question() Question {
	about := kinds[w.rand.IntN(len(kinds))]
	q := Question{Group: about.Group, Resource: about.Resource}
	q.User, q.Groups = w.user()
	if about.Namespaced && w.rand.IntN(5) > 0 {
		q.Namespace = w.oneOf(w.namespaces)
		about.Namespaces = []string{q.Namespace}
	}
	bit := w.rand.IntN(8)
	q.Verb, q.bit = verbs[bit], 1<<bit
	if (q.Namespace != "" || !about.Namespaced) && q.bit != rbac.Create && w.rand.IntN(2) == 0 {
		about.Name = w.oneOf(objectNames)
		if about.ID == "namespaces" {
			about.Name = w.oneOf(w.namespaces)
			about.Namespaces = []string{about.Name}
			if q.bit&(rbac.List|rbac.Watch|rbac.DeleteCollection) == 0 {
				q.Namespace = about.Name
			}
		}
		if q.bit != rbac.DeleteCollection {
			q.Name = about.Name
		}
	}
	if about.Verbs()&rbac.Exec != 0 && w.rand.IntN(2) == 0 {
		q.Group, q.Resource = "", "pods"
		if about.ID == "pods" {
			q.Name = about.Name
		} else {
			q.Name = ""
		}
		q.Verb, q.Subresource, q.bit = "create", "exec", rbac.Exec
		if w.rand.IntN(2) == 0 {
			q.Verb, q.Subresource, q.bit = "get", "log", rbac.Logs
		}
	}
	q.about = about
	return q
}

// Answer is what Watchglass says.
func (q Question) Answer(p *rbac.Policy) bool {
	a := p.Answer(q.about, rbac.Options{Builtin: true})
	return slices.ContainsFunc(slices.Concat(a.Holders, a.Builtin), func(h rbac.Holder) bool {
		return h.All&q.bit != 0 && h.Is(q.User, q.Groups)
	})
}

// Some is whether Watchglass says that it is allowed in some namespace or in all, and whether it is for objects that a
// role names.
func (q Question) Some(p *rbac.Policy) (in, named bool) {
	a := p.Answer(q.about, rbac.Options{Builtin: true})
	for _, h := range slices.Concat(a.Holders, a.Builtin) {
		if h.Is(q.User, q.Groups) {
			in, named = in || (h.All|h.Some)&q.bit != 0, named || h.Named&q.bit != 0
		}
	}
	return in, named
}

// Attributes is what the apiserver asks its authorizer.
func (q Question) Attributes() authorizer.Attributes {
	return authorizer.AttributesRecord{
		User: &user.DefaultInfo{Name: q.User, Groups: q.Groups}, Verb: q.Verb, Namespace: q.Namespace,
		APIGroup: q.Group, APIVersion: "*", Resource: q.Resource, Subresource: q.Subresource, Name: q.Name, ResourceRequest: true,
	}
}

// Review is what 'kubectl auth can-i' asks the apiserver as that user.
func (q Question) Review() *authorizationv1.SelfSubjectAccessReview {
	return &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
		Verb: q.Verb, Group: q.Group, Resource: q.Resource, Subresource: q.Subresource, Namespace: q.Namespace, Name: q.Name,
	}}}
}

// CanI is the same for kubectl.
func (q Question) CanI() []string {
	resource := q.Resource
	if q.Group != "" {
		resource += "." + q.Group
	}
	if q.Name != "" {
		resource += "/" + q.Name
	}
	args := []string{"auth", "can-i", q.Verb, resource, "--as", q.User}
	if q.Namespace == "" {
		args = append(args, "--all-namespaces")
	} else {
		args = append(args, "--namespace", q.Namespace)
	}
	if q.Subresource != "" {
		args = append(args, "--subresource", q.Subresource)
	}
	if !isAccount(q.User) { // the apiserver knows the groups of others
		for _, g := range q.Groups {
			if !strings.HasPrefix(g, "system:") {
				args = append(args, "--as-group", g)
			}
		}
	}
	return args
}

// encoder writes roles and bindings as the apiserver sends them.
var encoder = scheme.Codecs.EncoderForVersion(protobuf.NewSerializer(scheme.Scheme, scheme.Scheme), rbacv1.SchemeGroupVersion)

// Learn adds a role or binding to a Policy, by the bytes that the apiserver sends of it.
func Learn(p *rbac.Policy, resource string, of runtime.Object) error {
	payload, err := runtime.Encode(encoder, of)
	if err != nil {
		return err
	}
	kind, ok := object.Builtin(resource)
	if !ok {
		return fmt.Errorf("there is no kind %s", resource)
	}
	var extras []object.Extra
	for _, path := range rbac.Paths(resource) {
		e, err := object.ParseExtra(path)
		if err != nil {
			return err
		}
		extras = append(extras, e)
	}
	d := object.NewDecoder(kind, false, extras...)
	o, err := d.Decode(payload)
	if err == nil {
		p.Set(resource, d.Columns(), o)
	}
	return err
}
