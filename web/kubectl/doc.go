// Package kubectl is part of hop 8 of 8: the commands of kubectl and helm for what the page shows, quoted for the
// user's shell. The page only copies them; nothing runs them.
//
// In: an object with its head, or a list with its address, and the flags that lead to the cluster. Out: commands,
// or why a shell can't take one. What comes from the cluster or from an address is untrusted: no name can become a
// flag, and what a shell would interpret is quoted or refused. The package may reach the address, the filter's
// language, and quoting (web/route, query, view, detail, quote), and nothing of the page or the browser.
package kubectl
