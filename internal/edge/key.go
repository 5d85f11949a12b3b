//go:build !js

package edge

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Key seals the cookies. In local mode it is the user's own, kept in a file that
// nobody else may read, so that the tabs that are open find their way back to a
// proxy that was started again; else it is what the replicas of a proxy share.
type Key [32]byte

// ReadKey reads the key of a file: 32 bytes as they are, or in base64, as they may
// stand in a Secret.
func ReadKey(file string) (Key, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return Key{}, err
	}
	if len(b) == len(Key{}) {
		return Key(b), nil
	}
	text := make([]byte, base64.StdEncoding.DecodedLen(len(b)))
	if n, err := base64.StdEncoding.Decode(text, bytes.TrimSpace(b)); err == nil && n == len(Key{}) {
		return Key(text[:n]), nil
	}
	return Key{}, fmt.Errorf("%s is no key: a key is %d random bytes, as they are or in base64; it has %d bytes", file, len(Key{}), len(b))
}

// LoadKey reads the key of a file, and makes one where there is none.
func LoadKey(file string) (Key, error) {
	k, err := ReadKey(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return k, err
	}
	k = NewKey()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return k, err
	}
	return k, writeNew(file, k[:])
}

// writeNew writes a file whole or not at all.
func writeNew(file string, b []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(file), ".key-*") // for this user only
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(b)
	if err := errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}

// NewKey makes a key.
func NewKey() Key {
	var k Key
	_, _ = rand.Read(k[:]) // it cannot fail
	return k
}

// Token is a secret of 256 bits as text.
func Token() string {
	k := NewKey()
	return base64.RawURLEncoding.EncodeToString(k[:])
}

// derive makes a key for one use: what is sealed for one cannot be opened for another.
func (k Key) derive(use string) Key {
	b, err := hkdf.Key(sha256.New, k[:], nil, "watchglass "+use, len(k))
	if err != nil {
		panic(err) // it cannot fail at this length
	}
	return Key(b)
}

// For is a key of one purpose's own. What proxies of another purpose have sealed, it
// does not open, though they share the key.
func (k Key) For(purpose string) Key { return k.derive("for " + purpose) }

func (k Key) aead(use string) cipher.AEAD {
	sub := k.derive("seal " + use)
	block, err := aes.NewCipher(sub[:])
	if err != nil {
		panic(err) // it cannot fail at this length
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // AES has the right size of block
	}
	return aead
}

// seal hides a text from who has not the key, for one use.
func (k Key) seal(use string, plain []byte) string {
	return base64.RawURLEncoding.EncodeToString(k.aead(use).Seal(nil, nil, plain, nil))
}

var errSeal = errors.New("it was not sealed here, or for something else")

// open is what was sealed for a use.
func (k Key) open(use, sealed string) ([]byte, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil {
		return nil, errSeal
	}
	plain, err := k.aead(use).Open(nil, nil, b, nil)
	if err != nil {
		return nil, errSeal
	}
	return plain, nil
}

// Proof is what the page of a session knows besides its cookie.
func (k Key) Proof(s Session) string {
	sub := k.derive("proof")
	m := hmac.New(sha256.New, sub[:])
	m.Write([]byte(s.ID))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// proves reports whether a text is the proof of a session.
func (k Key) proves(s Session, proof string) bool {
	return hmac.Equal([]byte(proof), []byte(k.Proof(s)))
}
