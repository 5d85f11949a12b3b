package words

// FilterExamples document the filter syntax in the help. A test parses them.
var FilterExamples = []struct{ Filter, Means string }{
	{"crash web", "both words, anywhere in a row"},
	{"!web", "without this word"},
	{`"back off"`, "text that contains spaces"},
	{`/web-\d+$/`, "regular expression"},
	{"-f wbx1", "fuzzy: these letters in this order"},
	{"-l app=web,!canary", "label selector"},
	{"status:Running,Pending", "any of these values in a column"},
	{"!ns:kube-system", "exclude a value; also for node, owner and any column"},
	{"label.app:web", "value of a label"},
	{"age<1h restarts>=5", "comparisons"},
	{"requested>90%", "nodes: CPU or memory requested by pods; also cpu-requested, memory-requested, pods>100"},
	{"exit:OOMKilled last-restart<1h", "pods: how a container last ended; also exit-code>=128, waiting:CrashLoopBackOff"},
	{"conditions:NotReady", "nodes: abnormal conditions, such as MemoryPressure"},
	{"endpoints=0", "services with a selector but no ready endpoints"},
	{"web or (db and !test)", "alternatives and grouping"},
}
