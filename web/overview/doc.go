// Package overview is part of hop 8 of 8: the totals above the list of problems on the page, the rollouts beside it, what
// the list says when it is empty, and whether the page starts with this or with the last view.
//
// In: the overview that the worker sent, and the choice of the start page. Out: a port.OpenOverview, which asks the worker
// for it, the last view in the browser's storage, and what is drawn. The package reaches the page only through its Host.
package overview
