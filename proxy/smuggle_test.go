//go:build !js

package main

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"watchglass/internal/wire"
)

// smuggled is an upgrade request that tries to send something to the apiserver, or to change the
// proxy's identity there.
type smuggled struct {
	name string
	add  string // further headers; \n stands for \r\n, \l for a bare \n, \r for a bare \r
	from string // what is replaced in the request, and by what
	to   string
	code int // of the answer; 0: the connection is closed
}

// smuggling is grouped by goal. HOST and COOKIE are the victim's.
var smuggling = []smuggled{
	{name: "nothing at all", code: 101},

	// As somebody else.
	{name: "impersonate a user", add: "Impersonate-User: system:admin", code: 101},
	{name: "impersonate a group", add: "Impersonate-Group: system:masters", code: 101},
	{name: "impersonate a UID", add: "Impersonate-Uid: 0", code: 101},
	{name: "impersonate extra", add: "Impersonate-Extra-Scopes: all", code: 101},
	{name: "impersonate extra, encoded", add: "Impersonate-Extra-Acme.com%2fproject: all", code: 101},
	{name: "impersonate in lower case", add: "impersonate-user: system:admin", code: 101},
	{name: "impersonate with an underscore", add: "Impersonate_User: system:admin", code: 101},
	{name: "impersonate twice", add: "Impersonate-User: a\nImpersonate-User: system:admin", code: 101},
	{name: "remote user", add: "X-Remote-User: system:admin", code: 101},
	{name: "remote group", add: "X-Remote-Group: system:masters", code: 101},
	{name: "remote UID", add: "X-Remote-Uid: 0", code: 101},
	{name: "remote extra", add: "X-Remote-Extra-Scopes: all", code: 101},
	{name: "remote with underscores", add: "X_Remote_User: system:admin", code: 101},
	{name: "a front's user", add: "X-Forwarded-User: system:admin\nX-Forwarded-Groups: system:masters\nX-Forwarded-Email: a@b", code: 101},
	{name: "a front's user with underscores", add: "X_Forwarded_User: system:admin", code: 101},
	{name: "a front's other words", add: "X-Auth-Request-User: admin\nX-Auth-Request-Groups: system:masters\nX-Auth-Request-Access-Token: t", code: 101},
	{name: "a front's token", add: "X-Forwarded-Access-Token: t\nX-Auth-Token: t", code: 101},
	{name: "a client's certificate", add: "X-Ssl-Client-Cert: c\nSsl-Client-Subject-Dn: O=system:masters", code: 101},
	{name: "a token", add: "Authorization: Bearer another", code: 101},
	{name: "two tokens", add: "Authorization: Bearer another\nAuthorization: Bearer a-third", code: 101},
	{name: "a password", add: "Authorization: Basic YWRtaW46YWRtaW4=", code: 101},
	{name: "an empty authorization", add: "Authorization:", code: 101},
	{name: "a token for a proxy", add: "Proxy-Authorization: Bearer another", code: 101},
	{name: "a token as a protocol", add: "Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io." + base64.RawURLEncoding.EncodeToString([]byte("another")) + ", v4.channel.k8s.io", code: 101},
	{name: "a token as a cookie", from: "Cookie: COOKIE", to: "Cookie: COOKIE; Authorization=Bearer another; token=another", code: 101},
	{name: "a token in the address", from: "/-/socket", to: "/-/socket?access_token=another&token=another&as=system:admin", code: 101},
	{name: "a user in the address", from: "GET /-/socket", to: "GET http://admin:admin@HOST/-/socket", code: 101},

	// So that the proxy's own goes missing.
	{name: "nominate Authorization", from: "Connection: Upgrade", to: "Connection: Upgrade, Authorization", code: 101},
	{name: "nominate Authorization in a line of its own", add: "Connection: Authorization", code: 101},
	{name: "nominate Authorization in lower case", add: "connection: authorization\nAuthorization: Bearer another", code: 101},
	{name: "nominate an impersonation", add: "Connection: Impersonate-User\nImpersonate-User: system:admin", code: 101},
	{name: "nominate Host and Accept", add: "Connection: Host, Accept, User-Agent", code: 101},
	{name: "nominate everything", from: "Connection: Upgrade", to: "Connection: Upgrade, keep-alive, close, te, trailer, X-Remote-User, *", code: 101},
	{name: "nominate the upgrade alone", from: "Connection: Upgrade\n", to: "Connection: Authorization\n", code: 426},
	{name: "keep alive", add: "Keep-Alive: timeout=5, max=1000\nProxy-Connection: Authorization", code: 101},

	// Elsewhere, or as something else.
	{name: "forwarded for", add: "X-Forwarded-For: 127.0.0.1\nX-Real-Ip: 127.0.0.1\nTrue-Client-Ip: 127.0.0.1", code: 101},
	{name: "forwarded host", add: "X-Forwarded-Host: evil.example\nX-Host: evil.example", code: 101},
	{name: "forwarded scheme", add: "X-Forwarded-Proto: https\nX-Forwarded-Ssl: on\nFront-End-Https: on", code: 101},
	{name: "forwarded prefix and address", add: "X-Forwarded-Uri: /api/v1/secrets\nX-Forwarded-Prefix: /api", code: 101},
	{name: "Forwarded", add: `Forwarded: for=127.0.0.1;host=evil.example;proto=https;by=_x`, code: 101},
	{name: "another address", add: "X-Original-Url: /api/v1/secrets\nX-Rewrite-Url: /api/v1/secrets", code: 101},
	{name: "another method", add: "X-Http-Method-Override: DELETE\nX-Method-Override: DELETE", code: 101},
	{name: "what apiservers listen to", add: "Accept: text/html\nAccept-Encoding: gzip\nContent-Type: application/yaml\nUser-Agent: kubectl\nIf-None-Match: x\nRange: bytes=0-1", code: 101},
	{name: "traces", add: "Traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\nBaggage: a=b\nAudit-Id: x\nX-Request-Id: y", code: 101},
	{name: "streams", add: "X-Stream-Protocol-Version: v4.channel.k8s.io\nSec-WebSocket-Protocol: portforward.k8s.io", code: 101},
	{name: "via", add: "Via: 1.1 a, 1.0 b\nMax-Forwards: 0", code: 101},
	{name: "extensions", add: "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits", code: 101},
	{name: "early data", add: "Early-Data: 1\nPriority: u=0", code: 101},
	{name: "HTTP/2's own headers", add: ":authority: evil.example\n:path: /api/v1/secrets", code: 400},
	{name: "HTTP/2 by an upgrade", from: "Upgrade: websocket", to: "Upgrade: h2c\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA", code: 426},
	{name: "HTTP/2 beside", from: "Upgrade: websocket", to: "Upgrade: h2c, websocket", code: 101},
	{name: "HTTP/2 at once", from: "GET /-/socket HTTP/1.1\n", to: "PRI * HTTP/2.0\n\nSM\n\n", code: 404},
	{name: "SPDY", from: "Upgrade: websocket", to: "Upgrade: SPDY/3.1", code: 426},

	// Two requests in one.
	{name: "a body", add: "Content-Length: 5", code: 400},
	{name: "a body in chunks", add: "Transfer-Encoding: chunked", code: 400},
	{name: "both lengths", add: "Content-Length: 5\nTransfer-Encoding: chunked", code: 400},
	{name: "two lengths", add: "Content-Length: 0\nContent-Length: 5", code: 400},
	{name: "a length twice", add: "Content-Length: 0\nContent-Length: 0", code: 101},
	{name: "a length in a list", add: "Content-Length: 0, 5", code: 400},
	{name: "a length with a sign", add: "Content-Length: +0", code: 400},
	{name: "a negative length", add: "Content-Length: -1", code: 400},
	{name: "a length in hexadecimal", add: "Content-Length: 0x0", code: 400},
	{name: "chunks of another kind", add: "Transfer-Encoding: xchunked", code: 501},
	{name: "chunks, and not", add: "Transfer-Encoding: chunked, identity", code: 501},
	{name: "chunks twice", add: "Transfer-Encoding: chunked\nTransfer-Encoding: chunked", code: 501},
	{name: "chunks behind a tab", add: "Transfer-Encoding:\tchunked", code: 400},
	{name: "chunks before the colon", add: "Transfer-Encoding : chunked", code: 400},
	{name: "a trailer", add: "Trailer: Authorization\nTE: trailers", code: 101},
	{name: "a hidden trailer", add: "Transfer-Encoding: chunked\nTrailer: Impersonate-User", code: 400},
	{name: "to be expected", add: "Expect: 100-continue", code: 101},
	{name: "to be expected with a body", add: "Expect: 100-continue\nContent-Length: 5", code: 400},
	{name: "what nobody expects", add: "Expect: the-inquisition", code: 417},

	// Lines that are none.
	{name: "a folded line", add: "X-A: b\n Impersonate-User: system:admin", code: 101},
	{name: "a folded first line", from: "Host: HOST\n", to: " Impersonate-User: system:admin\nHost: HOST\n", code: 400},
	{name: "a bare line feed", add: `X-A: b\lImpersonate-User: system:admin`, code: 101},
	{name: "a bare carriage return", add: `X-A: b\rImpersonate-User: system:admin`, code: 400},
	{name: "a zero in a value", add: "X-A: b\x00c", code: 400},
	{name: "a zero in a name", add: "X-\x00A: b", code: 400},
	{name: "a space in a name", add: "X A: b", code: 400},
	{name: "a space before the name", from: "Upgrade: websocket\n", to: "Upgrade: websocket\n Authorization: Bearer another\n", code: 426},
	{name: "no name", add: ": b", code: 400},
	{name: "no colon", add: "Authorization", code: 400},
	{name: "letters of elsewhere", add: "Ímpersonate-User: system:admin", code: 400},
	{name: "a byte of elsewhere", add: "X-A: \xff\xfe", code: 101},
	{name: "very long", add: "X-A: " + strings.Repeat("a", 64<<10), code: 431},
	{name: "very many", add: strings.TrimSuffix(strings.Repeat("X-A: b\n", 8<<10), "\n"), code: 431},

	// Another request altogether.
	{name: "the whole address", from: "GET /-/socket", to: "GET http://HOST/-/socket", code: 101},
	{name: "an address elsewhere", from: "GET /-/socket", to: "GET http://evil.example/-/socket", code: 421},
	{name: "an address elsewhere with ours as Host", from: "GET /-/socket", to: "GET https://kubernetes.default/api/v1/secrets", code: 404},
	{name: "a tunnel", from: "GET /-/socket", to: "CONNECT kubernetes.default:443", code: 404},
	{name: "asterisk", from: "GET /-/socket", to: "OPTIONS *", code: 404},
	{name: "a POST", from: "GET /-/socket", to: "POST /-/socket", code: 405},
	{name: "two hosts", add: "Host: evil.example", code: 400},
	{name: "no host", from: "Host: HOST\n", to: "", code: 400},
	{name: "two origins", add: "Origin: http://evil.example", code: 403},
	{name: "two cookies of ours", from: "Cookie: COOKIE", to: "Cookie: COOKIE-forged; COOKIE", code: 101},
	{name: "two keys", add: "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", code: 400},
	{name: "another version of the protocol", from: "Sec-WebSocket-Version: 13", to: "Sec-WebSocket-Version: 8", code: 400},
	{name: "an older HTTP", from: "HTTP/1.1", to: "HTTP/1.0", code: 426},
	{name: "a newer HTTP", from: "HTTP/1.1", to: "HTTP/3.0", code: 505},
	{name: "no HTTP", from: " HTTP/1.1", to: "", code: 400},
}

// raw returns the request as it is sent.
func (s smuggled) raw(v *victim) string {
	lines := func(text string) string {
		text = strings.NewReplacer("HOST", v.host, "COOKIE", v.cookie).Replace(text)
		return strings.NewReplacer("\n", "\r\n", `\l`, "\n", `\r`, "\r").Replace(text)
	}
	raw := v.upgrade()
	if s.from != "" {
		raw = strings.Replace(raw, lines(s.from), lines(s.to), 1)
	}
	if s.add != "" {
		raw = strings.TrimSuffix(raw, "\r\n") + lines(s.add) + "\r\n\r\n"
	}
	return raw
}

// golden is the request that the proxy sends for a list of pods, for every user.
func golden(v *victim) string {
	return "GET /api/v1/pods?limit=500 HTTP/1.1\r\n" +
		"Host: " + v.upstream.address + "\r\n" +
		"User-Agent: watchglass/test\r\n" +
		"Accept: application/vnd.kubernetes.protobuf,application/json;as=Table;v=v1;g=meta.k8s.io,application/json\r\n" +
		"Authorization: Bearer " + credential + "\r\n\r\n"
}

// TestSmuggling sends each request, and compares what arrives upstream byte for byte: the proxy's
// own request, or nothing.
func TestSmuggling(t *testing.T) {
	v := newVictim(t)
	pods := wire.Request{Verb: wire.List, Version: "v1", Resource: "pods", ListOptions: wire.ListOptions{Limit: 500}}
	passed := 0
	last := smuggling[0] // by then, nothing is on its way any more
	for _, s := range append(slices.Clone(smuggling), last) {
		code, conn, from, body := v.send(t, s.raw(v))
		if code != s.code {
			t.Errorf("%s: answered %d, want %d: %s", s.name, code, s.code, body)
		}
		var want []string
		if code == 101 {
			if _, err := v.ask(conn, from, pods); err != nil {
				t.Errorf("%s: %v", s.name, err)
			}
			want = []string{golden(v)}
			passed++
		}
		conn.Close()
		if have := v.upstream.take(); !slices.Equal(have, want) {
			t.Errorf("%s: upstream got\n%q, want\n%q", s.name, have, want)
		}
	}
	t.Logf("%d cases, %d upgrades were accepted", len(smuggling), passed)
	if passed == 0 || len(smuggling) < 60 {
		t.Error("that shows nothing")
	}
}
