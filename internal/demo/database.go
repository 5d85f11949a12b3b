//go:build !js

package demo

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"watchglass/internal/demo/api"
	"watchglass/internal/demo/store"
)

// databaseKind is the cluster's only custom kind.
var databaseKind = &api.Kind{
	Group: "data.example.com", Version: "v1", Resource: "databases", Name: "Database", Singular: "database", Short: []string{"db"},
	Namespaced: true, Subresources: []string{"status"}, Columns: printed(),
}

// printerColumns are the additional printer columns of the CustomResourceDefinition.
var printerColumns = []apiextensionsv1.CustomResourceColumnDefinition{
	{Name: "Engine", Type: "string", JSONPath: ".spec.engine"},
	{Name: "Version", Type: "string", JSONPath: ".spec.version"},
	{Name: "Ready", Type: "string", JSONPath: ".status.ready"},
	{Name: "Phase", Type: "string", JSONPath: ".status.phase"},
	{Name: "Size", Type: "string", JSONPath: ".spec.storage", Priority: 1},
	{Name: "Backup", Type: "date", JSONPath: ".status.lastBackup"},
	{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp"},
}

func printed() (columns []api.Column) {
	for _, c := range printerColumns {
		columns = append(columns, api.Column{
			TableColumnDefinition: metav1.TableColumnDefinition{Name: c.Name, Type: c.Type, Priority: c.Priority, Description: "Custom resource definition column (in JSONPath format): " + c.JSONPath},
			Path:                  strings.Split(strings.TrimPrefix(c.JSONPath, "."), "."),
		})
	}
	return columns
}

func databaseDefinition(at metav1.Time) *apiextensionsv1.CustomResourceDefinition {
	k := databaseKind
	names := apiextensionsv1.CustomResourceDefinitionNames{Plural: k.Resource, Singular: k.Singular, ShortNames: k.Short, Kind: k.Name, ListKind: k.Name + "List"}
	condition := func(kind apiextensionsv1.CustomResourceDefinitionConditionType, reason, message string) apiextensionsv1.CustomResourceDefinitionCondition {
		return apiextensionsv1.CustomResourceDefinitionCondition{Type: kind, Status: apiextensionsv1.ConditionTrue, LastTransitionTime: at, Reason: reason, Message: message}
	}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: k.ID(), CreationTimestamp: at, Generation: 1},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: k.Group, Names: names, Scope: apiextensionsv1.NamespaceScoped, Conversion: &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.NoneConverter},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: k.Version, Served: true, Storage: true, AdditionalPrinterColumns: printerColumns,
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
				Schema:       &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: ptr(true)}},
			}},
		},
		Status: apiextensionsv1.CustomResourceDefinitionStatus{
			AcceptedNames: names, StoredVersions: []string{k.Version},
			Conditions: []apiextensionsv1.CustomResourceDefinitionCondition{
				condition(apiextensionsv1.NamesAccepted, "NoConflicts", "no conflicts found"),
				condition(apiextensionsv1.Established, "InitialNamesAccepted", "the initial names have been accepted"),
			},
		},
	}
}

// database is an object of the custom kind.
type database struct {
	namespace, name, team    string
	uid                      types.UID
	created, backup          metav1.Time
	engine, release, phase   string
	replicas, ready, storage int
}

func (w *world) addDatabase(namespace, team string) {
	engines := [][2]string{{"postgres", "17.6"}, {"postgres", "16.10"}, {"mysql", "8.4.6"}, {"redis", "8.2.1"}}
	engine := pick(w.rng, engines)
	d := &database{
		namespace: namespace, name: team + "-db", team: team, uid: newUID(w.rng), created: w.ago(w.about(60 * day)), backup: w.ago(w.about(6 * time.Hour)),
		engine: engine[0], release: engine[1], phase: "Running", replicas: 1 + w.rng.IntN(3), storage: 20 << w.rng.IntN(5),
	}
	d.ready = d.replicas
	w.databases = append(w.databases, d)
	w.writeDatabase(d)
}

func (w *world) writeDatabase(d *database) {
	must(w.store.Resource(databaseKind.ID()).Put(store.Key{Namespace: d.namespace, Name: d.name}, func(version int64) ([]byte, error) {
		return json.Marshal(map[string]any{
			"apiVersion": databaseKind.Group + "/" + databaseKind.Version, "kind": databaseKind.Name,
			"metadata": metav1.ObjectMeta{
				Namespace: d.namespace, Name: d.name, UID: d.uid, CreationTimestamp: d.created, ResourceVersion: strconv.FormatInt(version, 10), Generation: 1,
				Labels:        map[string]string{"team": d.team, "app.kubernetes.io/name": d.engine},
				ManagedFields: []metav1.ManagedFieldsEntry{managed("database-operator", "status", `{"f:status":{"f:phase":{}}}`, d.created)},
			},
			"spec":   map[string]any{"engine": d.engine, "version": d.release, "replicas": d.replicas, "storage": fmt.Sprintf("%dGi", d.storage)},
			"status": map[string]any{"phase": d.phase, "ready": fmt.Sprintf("%d/%d", d.ready, d.replicas), "lastBackup": d.backup},
		})
	}))
}

// disturbDatabase starts a backup of a database, or fails one of its replicas for a while.
func (w *world) disturbDatabase(d *database) {
	if d.phase != "Running" {
		return
	}
	phase, ready := "BackingUp", d.replicas
	if w.chance(30) {
		phase, ready = "Degraded", d.replicas-1
	}
	d.phase, d.ready = phase, ready
	w.writeDatabase(d)
	w.after(w.about(15*time.Second), func() {
		if phase == "BackingUp" {
			d.backup = w.stamp()
		}
		d.phase, d.ready = "Running", d.replicas
		w.writeDatabase(d)
	})
}
