package cluster

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// User is somebody who talks to the apiserver. With a Token the user is known by
// that bearer token, which must be among Options.Users (or those of SetUsers);
// without one by a client certificate, which any user can have at any time.
// Only members of system:masters have rights that no RBAC rule gave.
type User struct {
	Name   string
	Groups []string
	Token  string
}

// Admin is a user who may do everything.
func Admin() User { return User{Name: "admin", Groups: []string{"system:masters"}} }

// SetUsers replaces the users who are known by a token. The apiserver reads them
// when it starts, so this takes effect at the next StartAPIServer.
func (c *Cluster) SetUsers(users ...User) error {
	var table bytes.Buffer
	w := csv.NewWriter(&table)
	for _, u := range users {
		if u.Token == "" {
			continue // known by certificate
		}
		row := []string{u.Token, u.Name, u.Name}
		if len(u.Groups) > 0 {
			row = append(row, strings.Join(u.Groups, ","))
		}
		if err := w.Write(row); err != nil {
			return fmt.Errorf("write the users: %w", err)
		}
	}
	w.Flush()
	if err := os.WriteFile(c.file("tokens.csv"), table.Bytes(), 0o600); err != nil {
		return fmt.Errorf("write the users: %w", err)
	}
	return nil
}

// Config is how the admin reaches the apiserver, without a client-side rate limit.
func (c *Cluster) Config() *rest.Config { return rest.CopyConfig(c.admin) }

// ConfigFor is how user reaches the apiserver, without a client-side rate limit.
// It panics when no certificate can be made for such a name.
func (c *Cluster) ConfigFor(user User) *rest.Config {
	config, err := c.configFor(user)
	if err != nil {
		panic(err)
	}
	return config
}

func (c *Cluster) configFor(user User) (*rest.Config, error) {
	config := &rest.Config{Host: c.URL(), QPS: -1}
	config.CAData = c.CA()
	if user.Token != "" {
		config.BearerToken = user.Token
		return config, nil
	}
	pair, err := c.authority.client(user)
	if err != nil {
		return nil, err
	}
	config.CertData, config.KeyData = pair.cert, pair.key
	return config, nil
}

// KubeconfigOptions says what a kubeconfig holds beyond the cluster and the user.
type KubeconfigOptions struct {
	Path      string // of the file; default: one in the cluster's Dir, named after the context
	Context   string // name of the context, the cluster in it and the user in it; default: the user's name
	Namespace string // of the context; default: none
	Server    string // instead of URL, when something stands between; its certificate is checked all the same

	// Extra contexts, by name, each with another user's rights and the same
	// server. The current context stays Context.
	Extra map[string]User
}

// Kubeconfig writes a kubeconfig file with which user reaches the apiserver.
func (c *Cluster) Kubeconfig(user User, o KubeconfigOptions) (path string, err error) {
	if o.Context == "" {
		o.Context = user.Name
	}
	if o.Path == "" {
		o.Path = c.file("kubeconfig-" + strings.NewReplacer("/", "_", ":", "_").Replace(o.Context))
	}
	if o.Server == "" {
		o.Server = c.URL()
	}
	users := maps.Clone(o.Extra)
	if users == nil {
		users = map[string]User{}
	}
	users[o.Context] = user
	file := clientcmdapi.NewConfig()
	file.CurrentContext = o.Context
	for name, u := range users {
		if err := c.addContext(file, name, u, o); err != nil {
			return "", fmt.Errorf("write a kubeconfig for %s: %w", u.Name, err)
		}
	}
	if err := clientcmd.WriteToFile(*file, o.Path); err != nil {
		return "", fmt.Errorf("write a kubeconfig for %s: %w", user.Name, err)
	}
	return filepath.Abs(o.Path)
}

func (c *Cluster) addContext(file *clientcmdapi.Config, name string, user User, o KubeconfigOptions) error {
	config, err := c.configFor(user)
	if err != nil {
		return err
	}
	file.Clusters[name] = &clientcmdapi.Cluster{Server: o.Server, CertificateAuthorityData: config.CAData}
	file.AuthInfos[name] = &clientcmdapi.AuthInfo{
		Token:                 config.BearerToken,
		ClientCertificateData: config.CertData,
		ClientKeyData:         config.KeyData,
	}
	file.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name, Namespace: o.Namespace}
	return nil
}
