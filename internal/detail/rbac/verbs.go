package rbac

// Verbs is a set of verbs.
type Verbs uint16

// The verbs. Exec and Logs are verbs on subresources of pods.
const (
	Get Verbs = 1 << iota
	List
	Watch
	Create
	Update
	Patch
	Delete
	DeleteCollection
	Exec
	Logs

	Edit   = Update | Patch
	Remove = Delete | DeleteCollection
)

// verbNames are the verbs of RBAC, in the order of their bits.
var verbNames = [...]string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}

// check is one request that the authorizer would be asked about.
type check struct {
	bit                                Verbs
	verb, group, resource, subresource string
	name                               string
}

// withPods are the kinds whose pods can be entered and have logs.
const withPods = " pods deployments.apps replicasets.apps statefulsets.apps daemonsets.apps jobs.batch cronjobs.batch replicationcontrollers "
