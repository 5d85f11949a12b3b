package describe

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"

	"watchglass/e2e/cluster"
)

//go:embed testdata/objects.yaml
var manifests []byte

// described is an object that was created.
type described struct {
	resource string // as addresses and kubectl name it
	object   *unstructured.Unstructured
}

// creator creates objects, and writes their status.
type creator struct {
	client dynamic.Interface
	mapper *restmapper.DeferredDiscoveryRESTMapper
	uids   map[string]string
	all    []described
}

// createAll creates what the manifests say, and a request for a certificate.
func createAll(t *testing.T, c *cluster.Cluster) []described {
	t.Helper()
	client, err := dynamic.NewForConfig(c.Config())
	if err != nil {
		t.Fatal(err)
	}
	finder, err := discovery.NewDiscoveryClientForConfig(c.Config())
	if err != nil {
		t.Fatal(err)
	}
	k := &creator{client: client, mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(finder)), uids: make(map[string]string)}
	var template map[string]any
	for reader := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifests), 4096); ; {
		var raw json.RawMessage
		if err := reader.Decode(&raw); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for name, uid := range k.uids {
			raw = bytes.ReplaceAll(raw, []byte(`"$`+name+`"`), []byte(`"`+uid+`"`))
		}
		o := &unstructured.Unstructured{}
		if err := o.UnmarshalJSON(raw); err != nil {
			t.Fatal(err)
		}
		if o.GetName() == "web-new" {
			_ = unstructured.SetNestedMap(o.Object, template, "spec", "template")
			_ = unstructured.SetNestedField(o.Object, "h2", "spec", "template", "metadata", "labels", "pod-template-hash")
		}
		created := k.create(t, o)
		if o.GetKind() == "Deployment" {
			template, _, _ = unstructured.NestedMap(created.Object, "spec", "template")
		}
	}
	k.create(t, request(t))
	return k.all
}

func (k *creator) create(t *testing.T, o *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	gvk := o.GroupVersionKind()
	mapping, err := k.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.WithoutCancel(t.Context())
	at := k.client.Resource(mapping.Resource).Namespace(o.GetNamespace())
	created, err := at.Create(ctx, o, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("%s %s: %v", o.GetKind(), o.GetName(), err)
	}
	if status, ok := o.Object["status"]; ok {
		patch, err := json.Marshal(map[string]any{"status": status})
		if err == nil {
			created, err = at.Patch(ctx, o.GetName(), "application/merge-patch+json", patch, metav1.PatchOptions{}, "status")
		}
		if err != nil {
			t.Fatalf("the status of %s %s: %v", o.GetKind(), o.GetName(), err)
		}
	}
	k.uids[o.GetName()] = string(created.GetUID())
	resource := mapping.Resource.Resource
	if mapping.Resource.Group != "" {
		resource += "." + mapping.Resource.Group
	}
	k.all = append(k.all, described{resource, created})
	return created
}

// request is one for a certificate, of which describe reads the names.
func request(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{
		Subject:  pkix.Name{CommonName: "someone", Organization: []string{"org-one", "org-two"}, OrganizationalUnit: []string{"unit"}, Country: []string{"DE"}, Locality: []string{"Berlin"}, Province: []string{"BE"}, StreetAddress: []string{"Street 7"}, PostalCode: []string{"10115"}, SerialNumber: "sn-12"},
		DNSNames: []string{"a.example.com", "b.example.com"}, EmailAddresses: []string{"ana@example.com"}, IPAddresses: []net.IP{net.IPv4(10, 1, 2, 3), net.ParseIP("fd00::1:0:0:5")},
	}, key)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: doc})
	o := &unstructured.Unstructured{}
	err = o.UnmarshalJSON(fmt.Appendf(nil, `{"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest","metadata":{"name":"asks","labels":{"csr":"label"},"annotations":{"csr":"noted"}},
		"spec":{"request":%q,"signerName":"example.com/signer","expirationSeconds":86400,"usages":["client auth"]}}`, base64.StdEncoding.EncodeToString(text)))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// key is the object's in an address.
func (d described) key() string {
	return strings.TrimPrefix(d.object.GetNamespace()+"/"+d.object.GetName(), "/")
}
