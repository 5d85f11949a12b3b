// Package oidc_test holds our client of an OpenID Connect provider to the real
// kube-apiserver's: with the same flags, both take the same ID token, for the
// same user with the same groups.
package oidc_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"watchglass/e2e/cluster"
	"watchglass/internal/edge/oidc"
	"watchglass/internal/edge/oidc/oidctest"
)

const redirect = "https://wg.example.com/-/login/callback"

func TestSameUser(t *testing.T) {
	for name, o := range map[string]oidc.Options{
		"defaults": {},
		"email":    {UsernameClaim: "email", GroupsClaim: "role", GroupsPrefix: "oidc:"},
		"prefixes": {UsernameClaim: "name", UsernamePrefix: "-", GroupsPrefix: "-"},
	} {
		t.Run(name, func(t *testing.T) { sameUser(t, o) })
	}
}

func sameUser(t *testing.T, o oidc.Options) {
	idp := oidctest.New(oidctest.Options{TLS: true, ClientSecret: "secret", Settings: oidctest.Settings{Redirects: []string{redirect}}})
	t.Cleanup(idp.Close)
	idp.Set(oidctest.User{Subject: "u-1", Email: "ann@example.com", Groups: []string{"dev", "ops"}, Claims: map[string]any{"name": "Ann", "role": "on call"}})
	o.Issuer, o.ClientID, o.ClientSecret, o.CA, o.Redirect = idp.Issuer(), "watchglass", "secret", idp.CA(), redirect
	p, err := oidc.New(o)
	if err != nil {
		t.Fatal(err)
	}
	config := apiserver(t, o)
	tokens := signIn(t, p, idp)
	awaitIssuer(t, config, tokens.ID)
	for range 2 {
		theirs, err := whoami(t.Context(), config, tokens.ID)
		if err != nil {
			t.Fatal(err)
		}
		groups := slices.DeleteFunc(theirs.Groups, func(g string) bool { return g == "system:authenticated" })
		if theirs.Username != tokens.User || !slices.Equal(groups, tokens.Groups) || len(groups) == 0 {
			t.Errorf("%q %q, to the apiserver %q %q", tokens.User, tokens.Groups, theirs.Username, groups)
		}
		idp.Rotate()
		if tokens, err = p.Refresh(t.Context(), tokens); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := whoami(t.Context(), config, tokens.ID[:len(tokens.ID)-8]+"AAAAAAAA"); !apierrors.IsUnauthorized(err) {
		t.Errorf("a token that was changed: %v", err)
	}
}

// apiserver starts one with the same flags.
func apiserver(t *testing.T, o oidc.Options) *rest.Config {
	t.Helper()
	ca := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(ca, o.CA, 0o600); err != nil {
		t.Fatal(err)
	}
	flags := []string{"--oidc-issuer-url=" + o.Issuer, "--oidc-client-id=" + o.ClientID, "--oidc-ca-file=" + ca, "--oidc-groups-claim=groups"}
	for flag, value := range map[string]string{
		"--oidc-username-claim=": o.UsernameClaim, "--oidc-username-prefix=": o.UsernamePrefix,
		"--oidc-groups-claim=": o.GroupsClaim, "--oidc-groups-prefix=": o.GroupsPrefix,
	} {
		if value != "" {
			flags = append(flags, flag+value)
		}
	}
	c, err := cluster.Start(t.Context(), cluster.Options{APIServerFlags: flags})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	return rest.AnonymousClientConfig(c.Config())
}

// whoami asks the apiserver whose a token is.
func whoami(ctx context.Context, config *rest.Config, token string) (authenticationv1.UserInfo, error) {
	config = rest.CopyConfig(config)
	config.BearerToken = token
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return authenticationv1.UserInfo{}, err
	}
	review, err := client.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return authenticationv1.UserInfo{}, err
	}
	return review.Status.UserInfo, nil
}

// awaitIssuer waits until the apiserver has asked the provider for its keys: it
// takes no token before.
func awaitIssuer(t *testing.T, config *rest.Config, token string) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		_, err := whoami(ctx, config, token)
		if apierrors.IsUnauthorized(err) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// signIn goes through the provider as a browser does.
func signIn(t *testing.T, p *oidc.Provider, idp *oidctest.Provider) oidc.Tokens {
	t.Helper()
	address, pending, err := p.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(idp.CA())
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	defer transport.CloseIdleConnections()
	browser := http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := browser.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	back, err := resp.Location()
	if err != nil {
		t.Fatal(resp.Status, err)
	}
	tokens, err := p.Finish(t.Context(), pending, back.Query())
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}
