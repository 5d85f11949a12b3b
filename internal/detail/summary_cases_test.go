package detail

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"watchglass/internal/document"
	"watchglass/internal/object/tone"
)

// spoken writes a summary as text: a row is "Section/Section/Name: text", a cell
// "Section/Table[first cell].Column: text".
func spoken(s Summary) (lines []string) {
	var section func(path string, s Section)
	section = func(path string, s Section) {
		path += s.Title
		if len(s.Badge) > 0 {
			lines = append(lines, path+": "+said(s.Badge))
		}
		for _, r := range s.Rows {
			for _, l := range r.Lines {
				lines = append(lines, path+"/"+r.Name+": "+said(l))
			}
			if len(r.Lines) == 0 {
				lines = append(lines, path+"/"+r.Name+":")
			}
		}
		for _, t := range s.Tables {
			for _, row := range t.Rows {
				for i, c := range t.Columns {
					lines = append(lines, fmt.Sprintf("%s/%s[%s].%s: %s", path, t.Title, said(row[0]), c.Name, said(row[i])))
				}
			}
		}
		for _, inner := range s.Sections {
			section(path+"/", inner)
		}
	}
	for _, s := range s.Sections {
		section("", s)
	}
	return lines
}

// said is a line's text, with @ before instants, links in angles and tones in braces.
func said(l Line) string {
	var s strings.Builder
	for _, p := range l {
		text := p.Text
		if p.At != 0 {
			text = fmt.Sprint("@", p.At)
		}
		switch {
		case p.Ref != nil:
			text = "<" + strings.Trim(p.Ref.Kind+"."+p.Ref.Group, ".") + " " + p.Ref.Key() + "|" + text + ">"
		case p.List != nil:
			text = "<" + p.List.Resource + "?n=" + p.List.Namespace + "&l=" + p.List.Labels + p.List.Filter + "|" + text + ">"
		}
		if slices.Contains([]string{OK, Warning, Failed, Pending, Status}, p.Style) {
			text = p.Style + "{" + text + "}"
		}
		s.WriteString(text)
	}
	return s.String()
}

const aPod = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-1","namespace":"shop","uid":"u1","creationTimestamp":"2026-11-22T03:00:00Z","labels":{"app":"web","tier":"front"},
"annotations":{"note":"a\nb","kubectl.kubernetes.io/last-applied-configuration":"{}"},"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"r1","controller":true}],"finalizers":["example.com/wait"]},
"spec":{"nodeName":"n1","serviceAccountName":"sa","priority":7,"priorityClassName":"high","nodeSelector":{"disk":"ssd"},"tolerations":[{"key":"a","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},{"operator":"Exists"}],
"volumes":[{"name":"cfg","configMap":{"name":"conf","optional":true}},{"name":"all","projected":{"sources":[{"secret":{"name":"s1"}},{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}}]}},{"name":"data","persistentVolumeClaim":{"claimName":"pvc","readOnly":true}}],
"topologySpreadConstraints":[{"maxSkew":2,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"web"}}}],
"containers":[{"name":"app","image":"nginx:1","ports":[{"containerPort":80,"protocol":"TCP","name":"http","hostPort":8080}],"command":["sh","-c"],"args":["one\ntwo"],"resources":{"limits":{"cpu":"1500m","memory":"1Gi"},"requests":{"cpu":"100m"}},
"livenessProbe":{"httpGet":{"path":"/live","port":"http","scheme":"HTTP"},"initialDelaySeconds":3,"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},
"env":[{"name":"A","value":"1"},{"name":"B","valueFrom":{"secretKeyRef":{"name":"s1","key":"k","optional":true}}},{"name":"C","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.labels['app']"}}},{"name":"D","valueFrom":{"resourceFieldRef":{"resource":"limits.memory","divisor":"1Mi"}}}],
"envFrom":[{"prefix":"P_","configMapRef":{"name":"conf"}},{"secretRef":{"name":"s1","optional":true}}],"volumeMounts":[{"name":"cfg","mountPath":"/etc/cfg","readOnly":true,"subPath":"x"}]}]},
"status":{"phase":"Running","hostIP":"10.0.0.1","podIP":"10.1.0.1","podIPs":[{"ip":"10.1.0.1"}],"qosClass":"Burstable","conditions":[{"type":"Ready","status":"False","reason":"ContainersNotReady"}],
"containerStatuses":[{"name":"app","restartCount":4,"ready":false,"image":"nginx:1","imageID":"sha256:1","containerID":"c://1","state":{"waiting":{"reason":"CrashLoopBackOff","message":"back-off"}},"lastState":{"terminated":{"exitCode":137,"reason":"OOMKilled","startedAt":"2026-11-22T03:00:00Z","finishedAt":"2026-11-22T03:01:00Z"}}}]}}`

// partitioned is a StatefulSet of three pods, the last two of which are to be updated.
func partitioned(updated int) string {
	return fmt.Sprintf(`{"kind":"StatefulSet","apiVersion":"apps/v1","metadata":{"name":"db","namespace":"shop"},"spec":{"replicas":3,"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":1}}},"status":{"replicas":3,"readyReplicas":3,"availableReplicas":3,"updatedReplicas":%d}}`, updated)
}

func TestSummaries(t *testing.T) {
	for name, c := range map[string]struct {
		doc  string
		more More
		want []string
		none []string // nothing of this stands anywhere
	}{
		"pod": {doc: aPod, want: []string{
			"Object/Created: @1795316400", "Object/Controlled by: <ReplicaSet.apps shop/web|ReplicaSet/web>", "Object/Finalizers: example.com/wait",
			"Object/Labels: app=web", "Object/Annotations: note: a\nb", "Object/Annotations: kubectl.kubernetes.io/last-applied-configuration: 2 bytes, see YAML",
			"Pod/Status: status{Running}", "Pod/Node: <Node n1|n1> 10.0.0.1", "Pod/QoS class: Burstable", "Pod/Service account: <ServiceAccount shop/sa|sa>",
			"Pod/Conditions[Ready].Status: warning{False}", "Settings/Node selectors: disk=ssd", "Settings/Tolerations: a:NoExecute op=Exists for 300s", "Settings/Tolerations: op=Exists",
			"Settings/Topology spread constraints: zone:DoNotSchedule when max skew 2 is exceeded for selector <pods?n=shop&l=app=web|app=web>",
			"Settings/Priority class name: <PriorityClass.scheduling.k8s.io high|high>",
			"Containers/app: failed{CrashLoopBackOff}", "Containers/app/State: failed{Waiting} · CrashLoopBackOff", "Containers/app/State: back-off",
			"Containers/app/Last state: failed{Terminated} · OOMKilled · exit code 137 · started @1795316400 · finished @1795316460",
			"Containers/app/Ready: False", "Containers/app/Restart count: 4", "Containers/app/Ports: 80/TCP (http)", "Containers/app/Host ports: 8080/TCP (http)",
			"Containers/app/Args: one", "Containers/app/Args: two", "Containers/app/Limits: memory 1Gi", "Containers/app/Requests: cpu 100m",
			"Containers/app/Liveness: http-get http://:http/live delay=3s timeout=1s period=10s #success=1 #failure=3",
			"Containers/app/Environment: A 1", "Containers/app/Environment: B key k of Secret <Secret shop/s1|s1> optional true", "Containers/app/Environment: C web (v1:metadata.labels['app'])",
			"Containers/app/Environment: D 1024 (limits.memory)", "Containers/app/Environment from: ConfigMap <ConfigMap shop/conf|conf> with prefix P_", "Containers/app/Environment from: Secret <Secret shop/s1|s1> optional true",
			`Containers/app/Mounts: /etc/cfg from cfg (ro,path="x")`, "Containers/app/Image ID: sha256:1",
			"Volumes/cfg: ConfigMap <ConfigMap shop/conf|conf>  optional true", "Volumes/all: Projected  sources.secret.name <Secret shop/s1|s1>",
			"Volumes/all: sources.serviceAccountToken.expirationSeconds 3607  sources.serviceAccountToken.path token",
			"Volumes/data: PersistentVolumeClaim  claimName <PersistentVolumeClaim shop/pvc|pvc>  readOnly true",
		}},
		"pod that crashes": {doc: aPod, more: More{Cells: []Cell{{Name: "Status", Text: "CrashLoopBackOff"}}}, want: []string{"Pod/Status: failed{CrashLoopBackOff} phase Running", "Pod/Failing: app failed{CrashLoopBackOff} · last exit 137 OOMKilled · @1795316460 · 4 restarts"}},
		"pod that runs":    {doc: aPod, more: More{Cells: []Cell{{Name: "Status", Text: "Running"}}}, want: []string{"Pod/Status: ok{Running}"}},
		"pod not ready":    {doc: aPod, more: More{Cells: []Cell{{Name: "Status", Text: "Running"}}, Health: tone.Warning}, want: []string{"Pod/Status: warning{Running}"}},
		"of which only the columns were watched": {doc: `{"kind":"Valve","apiVersion":"example.com/v1","metadata":{"name":"main"}}`, more: More{Partly: true, Cells: []Cell{{Name: "Open", Text: "yes"}}},
			want: []string{"Object/Kind: Valve", "Object/API version: example.com/v1", "Columns/Open: yes", "Object/Not known: Everything else. Full objects of this kind are watched only while they are open."}},
		"of which only the metadata is left": {doc: `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-1"}}`, more: More{Partly: true},
			want: []string{"Object/Name: web-1", "Object/Not known: Everything else. It was dropped from memory, which was full."}},
		"deployment": {
			doc: `{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web","namespace":"shop","uid":"d","generation":2},"spec":{"replicas":3,"selector":{"matchLabels":{"app":"web"},"matchExpressions":[{"key":"a","operator":"NotIn","values":["y","x"]},{"key":"b","operator":"DoesNotExist"}]},"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":"25%","maxUnavailable":1}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"i"}]}}},"status":{"observedGeneration":2,"replicas":4,"updatedReplicas":3,"availableReplicas":2,"unavailableReplicas":2}}`,
			more: More{Objects: map[string][]document.Value{"sets": {
				mustParse(t, `{"metadata":{"name":"web-new","creationTimestamp":"2026-11-22T03:00:00Z"},"spec":{"replicas":3,"template":{"metadata":{"labels":{"app":"web","pod-template-hash":"x"}},"spec":{"containers":[{"name":"c","image":"i"}]}}},"status":{"replicas":3}}`),
				mustParse(t, `{"metadata":{"name":"web-old","creationTimestamp":"2026-11-21T03:00:00Z"},"spec":{"replicas":0,"template":{"metadata":{"labels":{"app":"web","pod-template-hash":"y"}},"spec":{"containers":[{"name":"c","image":"older"}]}}},"status":{"replicas":1}}`),
			}}},
			want: []string{"Rollout/Replicas: 3 desired | 3 updated | 4 total | 2 available | 2 unavailable", "Rollout/Progress: pending{1 old replicas pending termination}",
				"Rollout/Selector: <pods?n=shop&l=a notin (x,y),app=web,!b|a notin (x,y),app=web,!b>", "Rollout/New ReplicaSet: <ReplicaSet.apps shop/web-new|web-new> (3/3 replicas created) · @1795316400",
				"Rollout/Old ReplicaSets: <ReplicaSet.apps shop/web-old|web-old> (1/0 replicas created) · @1795230000", "Rollout/Rolling update strategy: 1 max unavailable, 25% max surge", "Pod template/Containers/c/Image: i"},
		},
		"node": {
			doc: `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1","labels":{"node-role.kubernetes.io/worker":""}},"spec":{"taints":[{"key":"k","value":"v","effect":"NoSchedule"}],"unschedulable":true},"status":{"capacity":{"cpu":"4","memory":"8Gi","pods":"110"},"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"},"addresses":[{"type":"InternalIP","address":"10.0.0.1"}]}}`,
			more: More{Objects: map[string][]document.Value{"pods": {mustParse(t, aPod), mustParse(t, `{"metadata":{"name":"done","namespace":"shop"},"status":{"phase":"Succeeded"}}`)}, "lease": {mustParse(t, `{"spec":{"holderIdentity":"n1"}}`)}},
				States: map[string]Span{"pods shop/web-1": {Text: "CrashLoopBackOff", Style: Failed}, "pods shop/done": {Text: "Completed"}}},
			want: []string{"Pods/[shop].Status: failed{CrashLoopBackOff}", "Node/Roles: worker", "Node/Unschedulable: true", "Node/Taints: k=v:NoSchedule", "Node/Addresses: InternalIP 10.0.0.1", "Resources/[memory].Allocatable: 8Gi", "Node/Lease: n1",
				"Allocated resources/[cpu].Requests: 100m (2%)", "Allocated resources/[cpu].Limits: 1500m (37%)", "Allocated resources/[memory].Limits: 1Gi (12%)", "Pods: 1 non-terminated, <pods?n=&l=node:n1|2 in total>", "Pods/[shop].Name: <Pod shop/web-1|web-1>"},
			none: []string{"done"},
		},
		"a node that can't resize its pods": {
			doc: `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1"},"status":{"allocatable":{"cpu":"4"}}}`,
			more: More{Objects: map[string][]document.Value{"pods": {
				resized(t, "a", "Infeasible"), resized(t, "b", "Deferred"),
			}}},
			want: []string{"Allocated resources/[cpu].Requests: 16 (400%)", "Pods/[a].CPU requests: 500m (12%)", "Pods/[b].CPU requests: 8 (200%)"},
		},
		"a service whose target port no pod has": {
			doc:  `{"kind":"Service","apiVersion":"v1","metadata":{"name":"web","namespace":"shop"},"spec":{"ports":[{"port":80,"targetPort":"htp"}]}}`,
			more: More{Objects: map[string][]document.Value{"slices": {mustParse(t, `{"endpoints":[{"addresses":["10.0.0.1"],"conditions":{"ready":true}}]}`)}}},
			want: []string{"Service/Ports[<unset>].Endpoints: warning{<none>}"},
			none: []string{"10.0.0.1"},
		},
		"secret": {
			doc:  `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","namespace":"shop"},"type":"Opaque","data":{"user":"","password":""}}`,
			want: []string{"Secret/Type: Opaque", "Secret/Keys: password", "Secret/Keys: user", "Secret/Values: withheld by the proxy, including their lengths"},
		},
		"autoscaler": {
			doc: `{"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v2","metadata":{"name":"h","namespace":"shop"},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},"maxReplicas":9,"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}},{"type":"External","external":{"metric":{"name":"q"},"target":{"type":"Value","value":"10"}}}]},"status":{"currentReplicas":2,"desiredReplicas":3,"currentMetrics":[{"type":"Resource","resource":{"name":"cpu","current":{"averageUtilization":45,"averageValue":"90m"}}}]}}`,
			want: []string{"Scaling/Reference: <Deployment.apps shop/web|Deployment/web>", "Scaling/Pods: 2 current / 3 desired", "Scaling/Metrics[resource cpu on pods (as a percentage of request)].Current: 45% (90m)",
				"Scaling/Metrics[resource cpu on pods (as a percentage of request)].Target: 80%", "Scaling/Metrics[q (target value)].Current: <unknown>", "Scaling/Metrics[q (target value)].Target: 10"},
		},
		"claim": {
			doc:  `{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"c","namespace":"shop"},"spec":{"volumeName":"pv","accessModes":["ReadWriteOnce"]},"status":{"phase":"Bound","capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce","ReadOnlyMany"]}}`,
			more: More{Counts: map[string]map[string]int{"users": {"web-2": 1, "web-1": 1}}},
			want: []string{"Claim/Volume: <PersistentVolume pv|pv>", "Claim/Access modes: RWO,ROX", "Claim/Capacity: 1Gi", "Claim/Used by: <Pod shop/web-1|web-1>", "Claim/Used by: <Pod shop/web-2|web-2>"},
		},
		"policy": {
			doc: `{"kind":"NetworkPolicy","apiVersion":"networking.k8s.io/v1","metadata":{"name":"p","namespace":"shop"},"spec":{"podSelector":{},"policyTypes":["Ingress"],"ingress":[{"ports":[{"port":80,"endPort":90}],"from":[{"ipBlock":{"cidr":"10.0.0.0/8","except":["10.1.0.0/16"]}},{"namespaceSelector":{"matchLabels":{"a":"b"}},"podSelector":{"matchLabels":{"c":"d"}}}]}]}}`,
			want: []string{"Policy/Pod selector: <none>", "Ingress/Rule 1/To port: 80-90/TCP", "Ingress/Rule 1/From: IPBlock 10.0.0.0/8 except 10.1.0.0/16",
				"Ingress/Rule 1/From: NamespaceSelector <namespaces?n=&l=a=b|a=b> PodSelector <pods?n=&l=c=d|c=d>", "Egress: not affected"},
		},
		"another kind": {
			doc:  `{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"w","namespace":"shop"},"spec":{"size":3,"parts":[{"name":"a"},{"name":"b"}],"tags":["x","y"]},"status":{"conditions":[{"type":"Ready","status":"True"}],"phase":"Up"},"top":"level"}`,
			more: More{Cells: []Cell{{Name: "Size", Text: "3"}, {Name: "Last", At: 5}}},
			want: []string{"Columns/Size: 3", "Columns/Last: @5", "Status/Conditions[Ready].Status: ok{True}", "spec/size: 3", "spec/parts:", "spec/name: a", "spec/name: b", "spec/tags: x, y", "status/phase: Up", "top/top: level"},
		},
		"a rollout down to its partition": {
			doc:  partitioned(2),
			want: []string{"Rollout/Progress: ok{done}"},
		},
		"a rollout above its partition": {
			doc:  partitioned(1),
			want: []string{"Rollout/Progress: pending{1 of 2 updated}"},
		},
		"actions of an ingress": {
			doc:  `{"kind":"Ingress","apiVersion":"networking.k8s.io/v1","metadata":{"name":"shop","namespace":"shop"},"spec":{"rules":[{"host":"a","http":{"paths":[{"path":"/","backend":{"service":{"name":"redirect","port":{"name":"use-annotation"}}}}]}},{"host":"b","http":{"paths":[{"path":"/","backend":{"service":{"name":"redirect","port":{"number":80}}}}]}}]}}`,
			more: More{Objects: map[string][]document.Value{"services": {}}},
			want: []string{"Ingress/Rules[a].Backends: <Service shop/redirect|redirect>:use-annotation", "Ingress/Rules[b].Backends: <Service shop/redirect|redirect>:80 failed{service not found}"},
		},
		"conditions of a node": {
			doc:  `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1"},"status":{"conditions":[{"type":"KernelDeadlock","status":"True"},{"type":"ReadonlyFilesystem","status":"False"},{"type":"VMEventScheduled","status":"False"},{"type":"Ready","status":"False"}]}}`,
			want: []string{"Node/Conditions[KernelDeadlock].Status: failed{True}", "Node/Conditions[ReadonlyFilesystem].Status: ok{False}", "Node/Conditions[VMEventScheduled].Status: False", "Node/Conditions[Ready].Status: warning{False}"},
		},
		"conditions of a node of another group": {
			doc:  `{"kind":"Node","apiVersion":"longhorn.io/v1beta2","metadata":{"name":"n1"},"status":{"conditions":[{"type":"Schedulable","status":"False"},{"type":"Degraded","status":"True"}]}}`,
			want: []string{"Status/Conditions[Schedulable].Status: warning{False}", "Status/Conditions[Degraded].Status: failed{True}"},
		},
		"one of the name of ours": {
			doc:  `{"kind":"Deployment","apiVersion":"example.com/v1","metadata":{"name":"w"},"spec":{"replicas":3}}`,
			want: []string{"spec/replicas: 3"}, none: []string{"Rollout"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			lines := spoken(Summarize(mustParse(t, c.doc), c.more))
			for _, want := range c.want {
				if !slices.Contains(lines, want) {
					t.Errorf("there is no %q", want)
				}
			}
			for _, none := range c.none {
				if strings.Contains(strings.Join(lines, "\n"), none) {
					t.Errorf("there is a %q", none)
				}
			}
			if t.Failed() {
				t.Log(strings.Join(lines, "\n"))
			}
		})
	}
}

// TestBound holds what a summary may weigh, whatever is in the object.
func TestBound(t *testing.T) {
	long := strings.Repeat("ä", 1<<19)
	many := make(map[string]any)
	for i := range 10_000 {
		many[fmt.Sprint("key-", i)] = "value"
	}
	deep := any("end")
	for range 5000 {
		deep = map[string]any{"a": []any{deep}}
	}
	for _, kind := range []string{"ConfigMap v1", "Pod v1", "Widget example.com/v1", "Deployment apps/v1"} {
		name, version, _ := strings.Cut(kind, " ")
		for what, v := range map[string]any{"long": map[string]any{"k": long}, "many": many, "deep": deep, "list": slices.Repeat([]any{map[string]any{"name": long}}, 50)} {
			doc := map[string]any{"kind": name, "apiVersion": version, "metadata": map[string]any{"name": "n", "labels": v, "annotations": v, "ownerReferences": v, "finalizers": v}, "data": v, "spec": map[string]any{"containers": v, "volumes": v, "any": v, "template": v}, "status": v}
			s := Summarize(document.Of(doc), More{})
			if size := weigh(t, s); size > 1<<20 {
				t.Errorf("%s, %s: %d bytes", kind, what, size)
			}
		}
	}
	s := Summarize(document.Of(map[string]any{"kind": "ConfigMap", "apiVersion": "v1", "data": many}), More{})
	if data := s.Sections[1]; len(data.Rows) != mostRows || data.More != 10_000-mostRows {
		t.Errorf("%d rows, and %d more", len(data.Rows), data.More)
	}
	s = Summarize(document.Of(map[string]any{"kind": "ConfigMap", "apiVersion": "v1", "data": map[string]any{"k": long}}), More{})
	if p := s.Sections[1].Rows[0].Lines[0][0]; len(p.Text) > mostText || len(p.Text)+p.Cut != len(long) || !utf8.ValidString(p.Text) {
		t.Errorf("%d bytes, and %d more", len(p.Text), p.Cut)
	}
	label := strings.Repeat("d", 253) + "/" + strings.Repeat("n", 63)
	s = Summarize(document.Of(map[string]any{"kind": "ConfigMap", "apiVersion": "v1", "data": map[string]any{long: "1", label: "2"}}), More{})
	if rows := s.Sections[1].Rows; rows[0].Name != label || len(rows[1].Name) > mostName+len("…") || !strings.HasSuffix(rows[1].Name, "ä…") {
		t.Errorf("names of %d and %d bytes", len(rows[0].Name), len(rows[1].Name))
	}
}

func TestVisible(t *testing.T) {
	s := Summarize(mustParse(t, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"\u001b[31m"},"data":{"a\u202eb":"x\u0000\ty\n\u009b\u2066<script>"}}`), More{})
	lines := spoken(s)
	for _, want := range []string{"Object/Name: ␛[31m", "Data/a�b: x␀\ty\n��<script>"} {
		if !slices.Contains(lines, want) {
			t.Errorf("there is no %q in %q", want, lines)
		}
	}
}

func TestPrint(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	for at, want := range map[int64]string{1_000_000 - 90: "90s ago", 1_000_000 - 3600*50: "2d2h ago", 1_000_000 + 300: "in 5m", 1_000_001: "0s ago"} {
		if got := (Span{At: at}).Print(now); got != want {
			t.Errorf("%d: %q, and should be %q", at, got, want)
		}
	}
	if got := (Span{Text: "x"}).Print(now); got != "x" {
		t.Error(got)
	}
}

// weigh is how long a summary is for the page.
func weigh(t testing.TB, s Summary) int {
	t.Helper()
	doc, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return len(doc)
}

// FuzzSummary holds that no object makes a summary panic, nor grow.
func FuzzSummary(f *testing.F) {
	f.Add("Pod", "v1", []byte(aPod), []byte(`{}`))
	for _, k := range kinds {
		kind := k.kind
		for _, version := range []string{"v1", "apps/v1", "batch/v1", "networking.k8s.io/v1", "storage.k8s.io/v1", "autoscaling/v2", "rbac.authorization.k8s.io/v1", "certificates.k8s.io/v1"} {
			f.Add(kind, version, []byte(`{"spec":{"request":"LS0t","metrics":[{"type":""}],"template":[]},"status":{"conditions":{}},"metadata":[]}`), []byte(`{"metadata":{"name":1}}`))
		}
	}
	f.Fuzz(func(t *testing.T, kind, version string, doc, other []byte) {
		v, err := document.Parse(doc)
		if err != nil {
			return
		}
		if members, ok := v.Any().(map[string]any); ok {
			members["kind"], members["apiVersion"] = kind, version
		}
		o, _ := document.Parse(other)
		more := More{Objects: map[string][]document.Value{}, Counts: map[string]map[string]int{"pods": {kind: 1}, "users": {version: 1}}, Cells: []Cell{{Name: kind, Text: version}}}
		for _, key := range []string{"sets", "pods", "slices", "services", "lease", "quotas", "limits"} {
			more.Objects[key] = []document.Value{o, v}
		}
		Wants(v)
		if size := weigh(t, Summarize(v, more)); size > 2<<20 {
			t.Fatalf("%d bytes", size)
		}
	})
}

// BenchmarkSummary is the way of a pod from its JSON to what the page reads.
func BenchmarkSummary(b *testing.B) {
	for b.Loop() {
		v, err := document.Parse([]byte(aPod))
		if err != nil {
			b.Fatal(err)
		}
		doc, err := json.Marshal(Summarize(v, More{}))
		if err != nil {
			b.Fatal(err)
		}
		var s Summary
		if err := json.Unmarshal(doc, &s); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(doc)), "bytes/doc")
	}
}

// resized returns a pod in a namespace, which was given half a CPU, and was refused eight.
func resized(t *testing.T, namespace, why string) document.Value {
	return mustParse(t, `{"metadata":{"name":"p","namespace":"`+namespace+`"},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"8"}}}]},
		"status":{"conditions":[{"type":"PodResizePending","status":"True","reason":"`+why+`"}],"containerStatuses":[{"name":"c","allocatedResources":{"cpu":"500m"},"resources":{"requests":{"cpu":"500m"}}}]}}`)
}

// TestSummariesOdd summarizes objects that no apiserver with types would accept, but a recording or a gateway may have.
func TestSummariesOdd(t *testing.T) {
	odd := mustParse(t, `{"kind":"EndpointSlice","apiVersion":"discovery.k8s.io/v1","metadata":{"name":"s","namespace":"n"},"endpoints":[{"addresses":{"a":"b"}},{"addresses":[]},{}],"ports":[{"name":"http","port":80}]}`)
	for _, doc := range []string{
		`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"n"},"status":{"containerStatuses":[{"name":"x","state":{"":{}}}],"initContainerStatuses":[{"name":"y","state":{"":{}}}]}}`,
		`{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","namespace":"n"},"data":{"":""}}`,
		`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"s","namespace":"n","labels":{"":""}},"data":{"":""}}`,
		`{"kind":"Service","apiVersion":"v1","metadata":{"name":"s","namespace":"n"},"spec":{"ports":[{"name":"http","port":80}]}}`,
		`{"kind":"Ingress","apiVersion":"networking.k8s.io/v1","metadata":{"name":"s","namespace":"n"},"spec":{"rules":[{"http":{"paths":[{"backend":{"service":{"name":"s","port":{"name":"http"}}}}]}}]}}`,
	} {
		if s := Summarize(mustParse(t, doc), More{Objects: map[string][]document.Value{"slices": {odd}}}); len(s.Sections) == 0 {
			t.Errorf("nothing of %s", doc)
		}
	}
}
