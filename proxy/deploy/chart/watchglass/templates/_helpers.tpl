{{- define "watchglass.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "watchglass.fullname" -}}
{{- $name := include "watchglass.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "watchglass.selector" -}}
app.kubernetes.io/name: {{ include "watchglass.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "watchglass.labels" -}}
{{ include "watchglass.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "watchglass.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "watchglass.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "watchglass.keySecret" -}}
{{- default (printf "%s-key" (include "watchglass.fullname" .)) .Values.key.existingSecret }}
{{- end }}

{{- define "watchglass.host" -}}
{{- (urlParse .Values.publicURL).hostname }}
{{- end }}

{{- /* Whether requests impersonate their users. */}}
{{- define "watchglass.impersonates" -}}
{{- if or (eq .Values.auth "proxy") (and (eq .Values.auth "oidc") .Values.oidc.impersonate) }}true{{ end }}
{{- end }}

{{- /* Whether they do so with the pod's own account. */}}
{{- define "watchglass.usesAccount" -}}
{{- if and (include "watchglass.impersonates" .) (not .Values.cluster.kubeconfigSecret) }}true{{ end }}
{{- end }}

{{- define "watchglass.sidecar" -}}
{{- if and (eq .Values.auth "proxy") .Values.proxy.sidecar.image }}true{{ end }}
{{- end }}

{{- /* The port for clients, as a number: not everything resolves the name of a sidecar's port. */}}
{{- define "watchglass.port" -}}
{{- if include "watchglass.sidecar" . }}{{ .Values.proxy.sidecar.port }}{{ else }}7117{{ end }}
{{- end }}

{{- /* The kubelet cannot reach loopback, so with a sidecar the health checks are on the metrics port. */}}
{{- define "watchglass.metrics" -}}
{{- if or .Values.metrics.enabled (include "watchglass.sidecar" .) }}true{{ end }}
{{- end }}

{{- define "watchglass.probe" -}}
httpGet:
  {{- if include "watchglass.metrics" .root }}
  path: {{ printf "/%s" .check }}
  port: metrics
  {{- else }}
  path: {{ printf "%s/-/%s" .root.Values.basePath .check }}
  port: http
  {{- if .root.Values.tls.secret }}
  scheme: HTTPS
  {{- end }}
  {{- end }}
{{- end }}

{{- define "watchglass.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "watchglass.podSecurity" -}}
runAsNonRoot: true
{{- with .Values.runAsUser }}
runAsUser: {{ int64 . }}
runAsGroup: {{ int64 . }}
fsGroup: {{ int64 . }}
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "watchglass.args" -}}
{{- $v := .Values -}}
- {{ printf "--auth=%s" $v.auth | quote }}
- {{ printf "--public-url=%s" $v.publicURL | quote }}
- --listen={{ if include "watchglass.sidecar" . }}127.0.0.1:7117{{ else }}:7117{{ end }}
- --kubeconfig=/etc/watchglass/cluster/kubeconfig
- {{ printf "--key-file=/etc/watchglass/key/%s" $v.key.entry | quote }}
- {{ printf "--drain=%ds" (int $v.drainSeconds) | quote }}
- {{ printf "--audit=%s" (ternary "on" "off" $v.audit) | quote }}
{{- with $v.basePath }}
- {{ printf "--base-path=%s" . | quote }}
{{- end }}
{{- range $v.hosts }}
- {{ printf "--host=%s" . | quote }}
{{- end }}
{{- range $v.embedOrigins }}
- {{ printf "--embed-origin=%s" . | quote }}
{{- end }}
{{- if include "watchglass.metrics" . }}
- {{ printf "--metrics-listen=:%d" (int $v.metrics.port) | quote }}
{{- end }}
{{- if $v.tls.secret }}
- --tls-cert-file=/etc/watchglass/tls/tls.crt
- --tls-private-key-file=/etc/watchglass/tls/tls.key
- {{ printf "--tls-min-version=%s" $v.tls.minVersion | quote }}
{{- end }}
{{- with $v.cluster.namespace }}
- {{ printf "--namespace=%s" . | quote }}
{{- end }}
{{- with $v.cluster.namespaces }}
- {{ printf "--namespaces=%s" (join "," .) | quote }}
{{- end }}
{{- range $v.trustedProxies }}
- {{ printf "--front-cidr=%s" . | quote }}
{{- end }}
{{- with $v.session }}
- {{ printf "--session=%s" . | quote }}
{{- end }}
{{- with $v.sessionMax }}
- {{ printf "--session-max=%s" . | quote }}
{{- end }}
{{- with $v.revokeWithin }}
- {{ printf "--revoke-within=%s" . | quote }}
{{- end }}
{{- with $v.limits.maxConnections }}
- {{ printf "--max-connections=%d" (int .) | quote }}
{{- end }}
{{- with $v.limits.maxLists }}
- {{ printf "--max-lists=%d" (int .) | quote }}
{{- end }}
{{- with $v.limits.maxOpen }}
- {{ printf "--max-open=%d" (int .) | quote }}
{{- end }}
{{- if $v.logJSON }}
- --log-json
{{- end }}
{{- if $v.verbose }}
- --verbose
{{- end }}
{{- if eq (toString $v.diskHistory) "false" }}
- --no-disk-history
{{- end }}
{{- if eq $v.auth "oidc" }}
{{- include "watchglass.oidcArgs" $v.oidc }}
{{- else if eq $v.auth "proxy" }}
{{- include "watchglass.proxyArgs" . }}
{{- end }}
{{- end }}

{{- define "watchglass.oidcArgs" }}
- {{ printf "--oidc-issuer-url=%s" .issuerURL | quote }}
- {{ printf "--oidc-client-id=%s" .clientID | quote }}
{{- if .clientSecret.name }}
- {{ printf "--oidc-client-secret-file=/etc/watchglass/oidc/%s" .clientSecret.entry | quote }}
{{- end }}
{{- if .ca.name }}
- {{ printf "--oidc-ca-file=/etc/watchglass/oidc-ca/%s" .ca.entry | quote }}
{{- end }}
{{- with .scopes }}
- {{ printf "--oidc-scopes=%s" (join "," .) | quote }}
{{- end }}
{{- if .impersonate }}
- --oidc-impersonate
{{- with .usernameClaim }}
- {{ printf "--oidc-username-claim=%s" . | quote }}
{{- end }}
{{- with .usernamePrefix }}
- {{ printf "--oidc-username-prefix=%s" . | quote }}
{{- end }}
{{- with .groupsClaim }}
- {{ printf "--oidc-groups-claim=%s" . | quote }}
{{- end }}
{{- with .groupsPrefix }}
- {{ printf "--oidc-groups-prefix=%s" . | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- define "watchglass.proxyArgs" }}
{{- $p := .Values.proxy }}
{{- if include "watchglass.sidecar" . }}
- --front-cidr=127.0.0.1/32
{{- end }}
{{- range $p.cidrs }}
- {{ printf "--front-cidr=%s" . | quote }}
{{- end }}
{{- if $p.clientCA.name }}
- {{ printf "--front-ca-file=/etc/watchglass/front-ca/%s" $p.clientCA.entry | quote }}
{{- range $p.clientCA.names }}
- {{ printf "--front-name=%s" . | quote }}
{{- end }}
{{- end }}
- {{ printf "--front-user-header=%s" $p.userHeader | quote }}
{{- with $p.userPrefix }}
- {{ printf "--front-user-prefix=%s" . | quote }}
{{- end }}
{{- with $p.groupHeader }}
- {{ printf "--front-group-header=%s" . | quote }}
- {{ printf "--front-group-prefix=%s" $p.groupPrefix | quote }}
{{- end }}
{{- end }}

{{- /* What the viewer may read: all that Watchglass shows, without Secrets. */}}
{{- define "watchglass.viewerRules" -}}
- apiGroups: [""]
  resources: [configmaps, endpoints, events, limitranges, namespaces, nodes, persistentvolumeclaims, persistentvolumes, pods, podtemplates, replicationcontrollers, resourcequotas, serviceaccounts, services]
  verbs: [get, list, watch]
- apiGroups: [""]
  resources: [pods/log]
  verbs: [get]
- apiGroups: [admissionregistration.k8s.io]
  resources: [mutatingadmissionpolicies, mutatingadmissionpolicybindings, mutatingwebhookconfigurations, validatingadmissionpolicies, validatingadmissionpolicybindings, validatingwebhookconfigurations]
  verbs: [get, list, watch]
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  verbs: [get, list, watch]
- apiGroups: [apiregistration.k8s.io]
  resources: [apiservices]
  verbs: [get, list, watch]
- apiGroups: [apps]
  resources: [controllerrevisions, daemonsets, deployments, replicasets, statefulsets]
  verbs: [get, list, watch]
- apiGroups: [autoscaling]
  resources: [horizontalpodautoscalers]
  verbs: [get, list, watch]
- apiGroups: [batch]
  resources: [cronjobs, jobs]
  verbs: [get, list, watch]
- apiGroups: [certificates.k8s.io]
  resources: [certificatesigningrequests, clustertrustbundles]
  verbs: [get, list, watch]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [get, list, watch]
- apiGroups: [discovery.k8s.io]
  resources: [endpointslices]
  verbs: [get, list, watch]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [get, list, watch]
- apiGroups: [flowcontrol.apiserver.k8s.io]
  resources: [flowschemas, prioritylevelconfigurations]
  verbs: [get, list, watch]
- apiGroups: [metrics.k8s.io]
  resources: [nodes, pods]
  verbs: [get, list]
- apiGroups: [networking.k8s.io]
  resources: [ingressclasses, ingresses, ipaddresses, networkpolicies, servicecidrs]
  verbs: [get, list, watch]
- apiGroups: [node.k8s.io]
  resources: [runtimeclasses]
  verbs: [get, list, watch]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get, list, watch]
- apiGroups: [rbac.authorization.k8s.io]
  resources: [clusterrolebindings, clusterroles, rolebindings, roles]
  verbs: [get, list, watch]
- apiGroups: [resource.k8s.io]
  resources: [deviceclasses, resourceclaims, resourceclaimtemplates, resourceslices]
  verbs: [get, list, watch]
- apiGroups: [scheduling.k8s.io]
  resources: [priorityclasses]
  verbs: [get, list, watch]
- apiGroups: [storage.k8s.io]
  resources: [csidrivers, csinodes, csistoragecapacities, storageclasses, volumeattachments, volumeattributesclasses]
  verbs: [get, list, watch]
{{- with .Values.viewer.extraRules }}
{{ toYaml . }}
{{- end }}
{{- end }}
