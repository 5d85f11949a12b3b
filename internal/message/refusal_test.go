package message

import "testing"

func TestRefusal(t *testing.T) {
	const quota = "failed quota: compute: must specify limits.cpu for: app; requests.memory for: app"
	for text, want := range map[string]string{
		`pods "web-1-x" is forbidden: ` + quota:                                              quota,
		`Error creating: pods "web-1-x" is forbidden: ` + quota:                              quota,
		`create Pod db-0 in StatefulSet db failed error: pods "db-0" is forbidden: ` + quota: quota,
		`create Claim data-db-0 for Pod db-0 in StatefulSet db failed error: persistentvolumeclaims "data-db-0" is forbidden: exceeded quota: small, requested: requests.storage=2Gi`: "exceeded quota: small, requested: requests.storage=2Gi",
		`Failed to create new replica set "web-1": replicasets.apps "web-1" is forbidden: exceeded quota: small`:                                                                      "exceeded quota: small",
		`Error creating: Internal error occurred: failed calling webhook "v.io": connection refused`:                                                                                  `failed calling webhook "v.io": connection refused`,
		"Error creating: admission webhook \"v.io\" denied the request: \n\nno latest":                                                                                                `no latest (admission webhook "v.io" denied the request)`,
		`pods is forbidden: User "ana" cannot create resource "pods"`:                                                                                                                 `pods is forbidden: User "ana" cannot create resource "pods"`,
		`the reason why "x" is forbidden: y`:            `the reason why "x" is forbidden: y`,
		`pods "x" is forbidden: `:                       `pods "x" is forbidden: `,
		`admission webhook "v.io" denied the request: `: `admission webhook "v.io" denied the request: `,
		"Error creating: ":                              "Error creating: ",
		"create Pod in no set":                          "create Pod in no set",
		"":                                              "",
	} {
		if got := Lead(text); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
}
