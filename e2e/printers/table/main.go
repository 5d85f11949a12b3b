// Command table prints objects as the apiserver of the release of Kubernetes does that it is
// built with.
//
// In: kinds with objects in protobuf, as JSON. Out: the same, with the release's columns
// and cells; kinds that it does not have are left away.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	"k8s.io/kubernetes/pkg/printers"
	printersinternal "k8s.io/kubernetes/pkg/printers/internalversion"
	"k8s.io/kubernetes/pkg/printers/storage"
)

type kind struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Columns    []string `json:"columns"`
	Objects    []object `json:"objects"`
}

type object struct {
	Payload []byte   `json:"payload"`
	Cells   []string `json:"cells"`
	Before  int64    `json:"before"` // unix seconds between which it was printed
	After   int64    `json:"after"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var all, printed []kind
	if err := json.NewDecoder(os.Stdin).Decode(&all); err != nil {
		return err
	}
	for _, k := range all {
		gvk := schema.FromAPIVersionAndKind(k.APIVersion, k.Kind)
		table, scheme := printerOf(k.Kind)
		if !scheme.Recognizes(gvk) {
			continue
		}
		if err := print(&k, table, scheme); err != nil {
			return fmt.Errorf("%s: %w", gvk, err)
		}
		printed = append(printed, k)
	}
	return json.NewEncoder(os.Stdout).Encode(printed)
}

// elsewhere are the kinds that other servers print.
var elsewhere = map[string]struct {
	rest.TableConvertor
	*runtime.Scheme
}{}

// printerOf finds what the apiserver prints a kind with.
func printerOf(kind string) (rest.TableConvertor, *runtime.Scheme) {
	if p, ok := elsewhere[kind]; ok {
		return p.TableConvertor, p.Scheme
	}
	switch kind {
	case "Role", "ClusterRole", "LimitRange", "CSIStorageCapacity":
		return rest.NewDefaultTableConvertor(schema.GroupResource{}), legacyscheme.Scheme
	}
	return storage.TableConvertor{TableGenerator: printers.NewTableGenerator().With(printersinternal.AddHandlers)}, legacyscheme.Scheme
}

// print prints the objects of a kind, and leaves out those that the release cannot: random
// ones are not all possible, and some printers rely on that.
func print(k *kind, printer rest.TableConvertor, scheme *runtime.Scheme) error {
	form := protobuf.NewSerializer(scheme, scheme)
	internal := schema.GroupVersion{Group: schema.FromAPIVersionAndKind(k.APIVersion, k.Kind).Group, Version: runtime.APIVersionInternal}
	var printed []object
	for _, o := range k.Objects {
		stored, _, err := form.Decode(o.Payload, nil, nil)
		if err != nil {
			return err
		}
		scheme.Default(stored)
		read, err := scheme.ConvertToVersion(stored, internal)
		if err != nil {
			return err
		}
		o.Before = time.Now().Unix()
		table, err := tableOf(printer, read)
		if err != nil {
			continue
		}
		o.After, o.Cells, k.Columns = time.Now().Unix(), nil, nil
		for _, cell := range table.Rows[0].Cells {
			o.Cells = append(o.Cells, fmt.Sprint(cell))
		}
		for _, c := range table.ColumnDefinitions {
			k.Columns = append(k.Columns, fmt.Sprint(c.Name, " ", c.Priority))
		}
		printed = append(printed, o)
	}
	k.Objects = printed
	return nil
}

func tableOf(printer rest.TableConvertor, o runtime.Object) (table *metav1.Table, err error) {
	defer func() {
		if failed := recover(); failed != nil {
			err = fmt.Errorf("%v", failed)
		}
	}()
	return printer.ConvertToTable(context.Background(), o, nil)
}
