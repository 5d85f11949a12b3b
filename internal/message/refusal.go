package message

import "strings"

// attempts are what controllers write in front of the answer to a write that failed: a beginning and an end, with names in
// between. The event is of the object that wrote.
var attempts = [...][2]string{
	{"Error creating: ", ""},                    // ReplicaSet, DaemonSet, Job
	{"create Pod ", " failed error: "},          // StatefulSet
	{"create Claim ", " failed error: "},        // StatefulSet
	{"Failed to create new replica set ", ": "}, // Deployment
	{"Internal error occurred: ", ""},           // apiserver, of a webhook that it cannot call
}

// refusal returns why a write was refused: "exceeded quota: small" of `Error creating: pods "web-1-x" is forbidden: exceeded
// quota: small`. The name of an object that was never created says nothing, and is another one after each attempt.
func refusal(text string) string {
	why := text
	for _, a := range attempts {
		why = after(why, a[0], a[1])
	}
	if head, rest, ok := strings.Cut(why, `" is forbidden: `); ok && rest != "" && isObject(head) {
		why = rest
	}
	const webhook, denied = `admission webhook "`, `" denied the request: `
	if head, rest, ok := strings.Cut(why, denied); ok && strings.HasPrefix(head, webhook) && strings.TrimSpace(rest) != "" {
		return strings.TrimSpace(rest) + " (" + head + strings.TrimSuffix(denied, ": ") + ")"
	}
	return why
}

// after returns what follows a beginning that ends in end; all of it if it does not begin so.
func after(text, begin, end string) string {
	rest, ok := strings.CutPrefix(text, begin)
	if !ok {
		return text
	}
	if _, rest, ok = strings.Cut(rest, end); !ok || rest == "" {
		return text
	}
	return rest
}

// isObject reports whether a text is a resource and the beginning of a quoted name: `pods "web-1-x`.
func isObject(head string) bool {
	resource, name, ok := strings.Cut(head, ` "`)
	return ok && resource != "" && resource[0] >= 'a' && strings.Trim(resource, "abcdefghijklmnopqrstuvwxyz0123456789.-/") == "" && !strings.ContainsAny(name, `" `)
}
