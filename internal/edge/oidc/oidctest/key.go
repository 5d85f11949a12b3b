//go:build !js

package oidctest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"strconv"
)

// key signs ID tokens.
type key struct {
	id     string
	signer crypto.Signer
}

// Rotate makes a new key, which signs from now on. The older ones stay
// published, for the tokens that they have signed.
func (p *Provider) Rotate() {
	signer := newSigner(p.options.Algorithm)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = append(p.keys, key{"key-" + strconv.Itoa(len(p.keys)), signer})
}

func newSigner(algorithm string) crypto.Signer {
	var signer crypto.Signer
	var err error
	switch algorithm {
	case "RS256":
		signer, err = rsa.GenerateKey(rand.Reader, 2048)
	case "ES256":
		signer, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	default:
		err = fmt.Errorf("no keys are made for %q", algorithm)
	}
	if err != nil {
		panic(err) // the test is wrong
	}
	return signer
}

// published are the public keys.
func (p *Provider) published(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	keys := make([]any, len(p.keys))
	for i, k := range p.keys {
		keys[i] = k.public()
	}
	p.mu.Unlock()
	p.answer(w, r, http.StatusOK, map[string]any{"keys": keys})
}

func (k key) public() map[string]string {
	switch public := k.signer.Public().(type) {
	case *rsa.PublicKey:
		return map[string]string{
			"kty": "RSA", "use": "sig", "alg": "RS256", "kid": k.id,
			"n": encode(public.N.Bytes()), "e": encode(big.NewInt(int64(public.E)).Bytes()),
		}
	case *ecdsa.PublicKey:
		point, err := public.Bytes() // a byte, x and y
		if err != nil {
			panic(err) // it is of a curve that has it
		}
		half := len(point) / 2
		return map[string]string{
			"kty": "EC", "use": "sig", "alg": "ES256", "kid": k.id, "crv": "P-256",
			"x": encode(point[1 : 1+half]), "y": encode(point[1+half:]),
		}
	}
	panic("a key of no kind")
}

// Public is the key that signs, as the bytes that an HMAC might be made of by
// who takes it for a secret.
func (p *Provider) Public() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	b, err := json.Marshal(p.keys[len(p.keys)-1].public())
	if err != nil {
		panic(err) // it is a map of texts
	}
	return b
}

// Draft is an ID token that is not signed yet.
type Draft struct {
	Header, Claims map[string]any
	// Key signs: an RSA or ECDSA key, bytes for HS256, or nil for "none".
	Key any
}

// sign makes the token. The header says how, unless the test has said it.
func (d Draft) sign() (string, error) {
	if _, said := d.Header["alg"]; !said {
		d.Header["alg"] = algorithmOf(d.Key)
	}
	header, err := json.Marshal(d.Header)
	if err != nil {
		return "", err
	}
	claims, err := json.Marshal(d.Claims)
	if err != nil {
		return "", err
	}
	input := encode(header) + "." + encode(claims)
	signature, err := signatureOf(d.Key, input)
	return input + "." + encode(signature), err
}

func algorithmOf(key any) string {
	switch key.(type) {
	case *rsa.PrivateKey:
		return "RS256"
	case *ecdsa.PrivateKey:
		return "ES256"
	case []byte:
		return "HS256"
	}
	return "none"
}

func signatureOf(key any, input string) ([]byte, error) {
	sum := sha256.Sum256([]byte(input))
	switch k := key.(type) {
	case *rsa.PrivateKey:
		return rsa.SignPKCS1v15(rand.Reader, k, crypto.SHA256, sum[:])
	case *ecdsa.PrivateKey:
		r, s, err := ecdsa.Sign(rand.Reader, k, sum[:])
		if err != nil {
			return nil, err
		}
		return append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...), nil
	case []byte:
		m := hmac.New(sha256.New, k)
		m.Write([]byte(input))
		return m.Sum(nil), nil
	}
	return nil, nil
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
