//go:build !js

package edge

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Key signs the cookies of local mode. It is the user's own, kept in a file that
// nobody else may read, so that the tabs that are open find their way back to a
// proxy that was started again.
type Key [32]byte

// LoadKey reads the key of a file, and makes one where there is none.
func LoadKey(file string) (Key, error) {
	var k Key
	b, err := os.ReadFile(file)
	switch {
	case err == nil && len(b) == len(k):
		return Key(b), nil
	case err == nil:
		return k, fmt.Errorf("%s is no key: it has %d bytes, not %d; remove it", file, len(b), len(k))
	case !errors.Is(err, fs.ErrNotExist):
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

// sign makes the value of a cookie that is good until a time, for one purpose.
func (k Key) sign(purpose string, until time.Time) string {
	b := binary.BigEndian.AppendUint64(nil, uint64(until.Unix()))
	return base64.RawURLEncoding.EncodeToString(append(b, k.mac(purpose, b)...))
}

func (k Key) mac(purpose string, until []byte) []byte {
	m := hmac.New(sha256.New, k[:])
	fmt.Fprintf(m, "watchglass\x00%s\x00", purpose)
	m.Write(until)
	return m.Sum(nil)
}

// verify reports whether a value was signed for the purpose and is still good.
func (k Key) verify(purpose, value string, now time.Time) bool {
	b, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil || len(b) != 8+sha256.Size {
		return false
	}
	until := time.Unix(int64(binary.BigEndian.Uint64(b)), 0)
	return hmac.Equal(b[8:], k.mac(purpose, b[:8])) && now.Before(until)
}
