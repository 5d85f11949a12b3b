//go:build !js

package session

import (
	"bytes"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSeal(t *testing.T) {
	k := NewKey()
	sealed := k.Seal("a", []byte("plain"))
	if again := k.Seal("a", []byte("plain")); again == sealed || strings.Contains(sealed, "plain") {
		t.Error("what is sealed shows")
	}
	if plain, err := k.Open("a", sealed); err != nil || string(plain) != "plain" {
		t.Fatal(plain, err)
	}
	last := "A"
	if strings.HasSuffix(sealed, last) {
		last = "Q"
	}
	for name, c := range map[string]struct {
		key         Key
		use, sealed string
	}{
		"for another use": {k, "b", sealed}, "of a purpose": {k.For("a"), "a", sealed}, "another key": {NewKey(), "a", sealed}, "changed": {k, "a", sealed[:len(sealed)-1] + last},
		"longer": {k, "a", sealed + "AAAA"}, "shorter": {k, "a", sealed[:20]}, "nothing": {k, "a", ""}, "no base64": {k, "a", "not base64 !"},
	} {
		if _, err := c.key.Open(c.use, c.sealed); err == nil {
			t.Errorf("%s: it opens", name)
		}
	}
	if a, b := NewSecret(), NewSecret(); a == b || len(a) < 43 {
		t.Errorf("tokens %q %q", a, b)
	}
	s := Session{ID: NewSecret()}
	if p := k.Proof(s); !k.Proves(s, p) || k.Proves(s, "") || k.Proves(Session{ID: NewSecret()}, p) || NewKey().Proves(s, p) || strings.Contains(p, s.ID) {
		t.Error("the proof proves something else")
	}
	renewed := s
	renewed.Made, renewed.Expires = time.Now(), time.Now()
	visit := k.Visit(s)
	if visit != k.Visit(renewed) || visit == k.Visit(Session{ID: NewSecret()}) || visit == NewKey().Visit(s) || visit == k.For("a").Visit(s) || strings.Contains(visit, s.ID) {
		t.Error("the key of the visit is that of another session, or no longer its own")
	}
}

func TestLoadKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a", "key")
	k, err := LoadKey(file)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := LoadKey(file); err != nil || again != k {
		t.Fatal("another key", err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatal(info.Mode(), err)
	}
	if err := os.WriteFile(file, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadKey(file); err == nil || !strings.Contains(err.Error(), "is not a key") {
		t.Fatal(err)
	}
}

// TestKeyFile checks which files are accepted as keys: random bytes that nobody else can read.
func TestKeyFile(t *testing.T) {
	key := NewKey()
	inBase64 := []byte(base64.StdEncoding.EncodeToString(key[:]) + "\n")
	for name, c := range map[string]struct {
		text        []byte
		mode        os.FileMode
		own, shared string // words of the error
	}{
		"as openssl writes it": {key[:], 0o600, "", ""},
		"in base64":            {inBase64, 0o400, "", ""},
		"of a mounted Secret":  {inBase64, 0o440, "by others", ""},
		"that all may read":    {key[:], 0o644, "by others", "by others"},
		"that a group writes":  {key[:], 0o620, "by others", "by others"},
		"that all may write":   {key[:], 0o602, "by others", "by others"},
		"of zeros":             {make([]byte, 32), 0o600, "not random", "not random"},
		"of zeros in base64":   {[]byte(base64.StdEncoding.EncodeToString(make([]byte, 32))), 0o600, "not random", "not random"},
		"of one byte":          {bytes.Repeat([]byte{7}, 32), 0o600, "not random", "not random"},
		"that is too short":    {key[:31], 0o600, "is not a key", "is not a key"},
		"that is empty":        {nil, 0o600, "is not a key", "is not a key"},
		"that is a whole disk": {make([]byte, 1<<20), 0o600, "is not a key", "is not a key"},
	} {
		file := filepath.Join(t.TempDir(), "key")
		if err := errors.Join(os.WriteFile(file, c.text, 0o600), os.Chmod(file, c.mode)); err != nil {
			t.Fatal(err)
		}
		for _, r := range []struct {
			read func(string) (Key, error)
			want string
		}{{ReadKey, c.own}, {ReadSharedKey, c.shared}} {
			got, err := r.read(file)
			if r.want == "" && (err != nil || got != key) || r.want != "" && (err == nil || !strings.Contains(err.Error(), r.want)) {
				t.Errorf("a file %s: %v, want %q", name, err, r.want)
			}
		}
	}
}
