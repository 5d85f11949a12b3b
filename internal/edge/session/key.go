//go:build !js

package session

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
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Key encrypts cookies. In local mode it belongs to the user, and is stored in a file that nobody
// else can read, so that open tabs reconnect to a restarted proxy. In other modes, the replicas
// of a proxy share it.
type Key [32]byte

// Mode bits that the file of a key must not have. A group may read a shared key, since Secrets
// are mounted that way.
const (
	ownOnly fs.FileMode = 0o077
	shared  fs.FileMode = 0o027
)

// ReadKey reads the user's own key: 32 bytes, plain or in base64.
func ReadKey(file string) (Key, error) { return readKey(file, ownOnly) }

// ReadSharedKey reads a key that replicas share, such as from a mounted Secret.
func ReadSharedKey(file string) (Key, error) { return readKey(file, shared) }

func readKey(file string, forbidden fs.FileMode) (Key, error) {
	f, err := os.Open(file)
	if err != nil {
		return Key{}, err
	}
	defer f.Close()
	if err := private(f, forbidden); err != nil {
		return Key{}, err
	}
	b, err := io.ReadAll(io.LimitReader(f, 1<<10))
	if err != nil {
		return Key{}, err
	}
	k, err := parseKey(b)
	if err != nil {
		return Key{}, fmt.Errorf("%s is not a key: %w", file, err)
	}
	return k, nil
}

// private returns an error if an open file has a forbidden mode bit. Windows has none.
func private(f *os.File, forbidden fs.FileMode) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&forbidden != 0 {
		return fmt.Errorf("%s can be read or written by others (mode %#o). Run chmod 600 %[1]s, or make a new key if it may have been copied. For a Secret volume, set defaultMode: 0440", f.Name(), mode)
	}
	return nil
}

func parseKey(b []byte) (k Key, err error) {
	if len(b) != len(Key{}) {
		text := make([]byte, base64.StdEncoding.DecodedLen(len(b)))
		n, err := base64.StdEncoding.Decode(text, bytes.TrimSpace(b))
		if err != nil || n != len(Key{}) {
			return Key{}, fmt.Errorf("a key is %d random bytes, raw or base64; this has %d bytes", len(Key{}), len(b))
		}
		b = text[:n]
	}
	if bytes.Count(b, b[:1]) == len(b) {
		return Key{}, errors.New("all bytes are the same, so it is not random")
	}
	return Key(b), nil
}

// LoadKey reads a key file, and creates it if it does not exist.
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

// writeNew writes a file atomically.
func writeNew(file string, b []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(file), ".key-*") // readable by this user only
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

// NewKey returns a random key.
func NewKey() Key {
	var k Key
	_, _ = rand.Read(k[:]) // it cannot fail
	return k
}

// NewSecret returns a random secret of 256 bits as text.
func NewSecret() string {
	k := NewKey()
	return base64.RawURLEncoding.EncodeToString(k[:])
}

// derive returns a key for one use. What is encrypted for one use cannot be decrypted for another.
func (k Key) derive(use string) Key {
	b, err := hkdf.Key(sha256.New, k[:], nil, "watchglass "+use, len(k))
	if err != nil {
		panic(err) // it cannot fail at this length
	}
	return Key(b)
}

// For returns a key for one purpose. It does not decrypt what was encrypted for another purpose
// with the same key.
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

// Seal encrypts a text for one use.
func (k Key) Seal(use string, plain []byte) string {
	return base64.RawURLEncoding.EncodeToString(k.aead(use).Seal(nil, nil, plain, nil))
}

var errSeal = errors.New("not encrypted with this key, or for another use")

// Open decrypts what was sealed for a use.
func (k Key) Open(use, sealed string) ([]byte, error) { return k.opener(use)(sealed) }

// opener returns a function that decrypts what was sealed for a use. Deriving the key is what takes time.
func (k Key) opener(use string) func(sealed string) ([]byte, error) {
	aead := k.aead(use)
	return func(sealed string) ([]byte, error) {
		b, ok := fromBase64(sealed)
		if !ok {
			return nil, errSeal
		}
		plain, err := aead.Open(nil, nil, b, nil)
		if err != nil {
			return nil, errSeal
		}
		return plain, nil
	}
}

// fromBase64 decodes base64 in exactly the form that we write. encoding/base64 ignores line
// breaks, so that a text that is looked up later would have several forms.
func fromBase64(text string) (b []byte, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	return b, err == nil && base64.RawURLEncoding.EncodeToString(b) == text
}

// Visit returns the key, in base64, that encrypts what a session's page stores on disk. Renewal does not
// change it.
func (k Key) Visit(s Session) string {
	sub := k.derive("visit " + s.ID)
	return base64.StdEncoding.EncodeToString(sub[:])
}

// Proof returns the proof that the page of a session stores besides the cookie if the browser has
// no key.
func (k Key) Proof(s Session) string {
	sub := k.derive("proof")
	m := hmac.New(sha256.New, sub[:])
	m.Write([]byte(s.ID))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// Proves reports whether a text is the proof of a session.
func (k Key) Proves(s Session, proof string) bool {
	return hmac.Equal([]byte(proof), []byte(k.Proof(s)))
}
