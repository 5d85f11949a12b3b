package recording

import (
	"math/rand/v2"
	"net/netip"
	"strings"
)

// longestName is longer than any name of an object or an image.
const longestName = 512

// text replaces the names in a text. In the cell of a Table nobody knows what is one, so all that looks like a
// host or an image is.
func (r *redactor) text(text string, cell bool) string {
	if r.collect || r.hide == 0 {
		return text
	}
	var out []byte
	done := 0
	for i := 0; i < len(text); {
		if n := escape(text[i:]); n > 0 && r.replaces(text[i+n:], cell) {
			i += n
		}
		end := wordEnd(text, i)
		if end == i {
			i++
			continue
		}
		if r.HideHosts && strings.Contains(text[i:end], "://") {
			end = urlEnd(text, end)
		}
		word := strings.TrimRight(text[i:end], behindWords)
		if now := r.run(word, cell); now != word {
			out = append(append(out, text[done:i]...), now...)
			done = i + len(word)
		}
		i = end
	}
	if done == 0 {
		return text
	}
	return string(append(out, text[done:]...))
}

// behindWords may end a word without being of it.
const behindWords = ".:/,;')]}"

// replaces reports whether the word that begins a text is replaced.
func (r *redactor) replaces(text string, cell bool) bool {
	word := strings.TrimRight(text[:wordEnd(text, 0)], behindWords)
	return r.run(word, cell) != word
}

// wordEnd returns where the word ends that begins at a place; that place if none does.
func wordEnd(text string, i int) int {
	for i < len(text) && inWord(text[i]) {
		i++
	}
	return i
}

// inWord reports whether a byte may be of a name, an image or a host.
func inWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._/:@", c) >= 0
}

// urlEnd returns where the URL ends that goes on at a place of a text. Its user, password and query go with
// its host, and may have nearly any byte.
func urlEnd(text string, from int) int {
	if n := strings.IndexAny(text[from:], " \t\r\n\"<>`"); n >= 0 {
		return from + n
	}
	return len(text)
}

// run replaces a word without spaces.
func (r *redactor) run(word string, cell bool) string {
	of := r.known[word]
	looksDotted := strings.IndexByte(word, '.') > 0 && strings.ContainsAny(word, "abcdefghijklmnopqrstuvwxyz")
	host, _, _ := strings.Cut(word, ":")
	switch {
	case r.HideImages && (of&imageName != 0 || r.isImage(word) || cell && looksDotted && strings.IndexByte(word, '/') > 0):
		return "image-" + r.word(word)
	case of&r.hide&(namespaceName|objectName|nodeName) != 0:
		return r.name(of, word)
	case r.HideHosts && (of&hostName != 0 || isAddress(word) || cell && looksDotted || looksLikeHost(host) || strings.Contains(word, "://")):
		return r.host(word)
	}
	if r.HideHosts {
		word = eachPart(word, "/:@_", r.hostPart)
	}
	if r.names() {
		word = eachPart(word, "./:@_", r.namePart) // "web.prod.svc" has the names "web" and "prod" in it
	}
	return word
}

// looksLikeHost reports whether a word is most likely a host: lower-case labels with at least two dots, the last
// one of letters, and nothing of Kubernetes' own.
func looksLikeHost(word string) bool {
	if strings.Count(word, ".") < 2 || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" || strings.Contains(word, "..") {
		return false
	}
	last := word[strings.LastIndexByte(word, '.')+1:]
	return len(last) > 1 && strings.Trim(last, "0123456789-") == last && last[0] >= 'a' && !strings.HasSuffix(word, ".k8s.io") && !strings.HasSuffix(word, ".kubernetes.io")
}

// eachPart replaces the parts of a word between separators.
func eachPart(word, separators string, edit func(part string) string) string {
	var out []byte
	for word != "" {
		at := strings.IndexAny(word, separators)
		if at < 0 {
			at = len(word)
		}
		out = append(out, edit(word[:at])...)
		if word = word[at:]; word != "" {
			out, word = append(out, word[0]), word[1:]
		}
	}
	return string(out)
}

// hostPart replaces a host that is known, one in a domain that is, or an address: in "10.0.0.1->10.0.0.2"
// a hyphen follows it.
func (r *redactor) hostPart(part string) string {
	for domain := part; strings.IndexByte(domain, '.') >= 0; {
		if len(domain) <= longestName && r.known[domain]&hostName != 0 {
			return r.host(part)
		}
		_, domain, _ = strings.Cut(domain, ".")
	}
	if r.known[part]&hostName != 0 {
		return r.host(part)
	}
	return eachPart(part, "-", func(text string) string {
		if isAddress(text) {
			return r.host(text)
		}
		return text
	})
}

// namePart replaces a name between hyphens, and what is behind it: "db-web-7d9f-x" has the name "web" in it.
func (r *redactor) namePart(part string) string {
	for begin := 0; begin < len(part); {
		if r.nameAt(part[begin:]) {
			return part[:begin] + r.segments(part[begin:])
		}
		at := strings.IndexByte(part[begin:], '-')
		if at < 0 {
			break
		}
		begin += at + 1
	}
	return part
}

// nameAt reports whether a word begins with a name that is replaced, up to a hyphen.
func (r *redactor) nameAt(word string) bool {
	begin, _, _ := strings.Cut(word, "-")
	most, known := r.hyphens[begin]
	if !known {
		return false
	}
	for end, n := 0, 0; end < len(word) && n <= most; n++ {
		at := strings.IndexByte(word[end:], '-')
		if at < 0 {
			at = len(word) - end
		}
		end += at
		if name := word[:end]; r.known[name]&r.hide&(namespaceName|objectName|nodeName) != 0 && r.segments(name) != name {
			return true
		}
		end++
	}
	return false
}

// isImage reports whether a word names an image that is known in another way: with its registry, without
// its tag, or by the address that it is pulled from.
func (r *redactor) isImage(word string) bool {
	return strings.ContainsAny(word, "/:@") && r.images[bareImage(word)]
}

// bareImage returns the name of an image without a tag, a digest and what everybody's images have.
func bareImage(image string) string {
	if _, rest, ok := strings.Cut(image, "://"); ok {
		image = rest
	}
	if registry, path, ok := strings.Cut(image, "/v2/"); ok {
		path, _, _ = strings.Cut(path, "/manifests/")
		path, _, _ = strings.Cut(path, "/blobs/")
		image = registry + "/" + path
	}
	image, _, _ = strings.Cut(image, "@")
	if at := strings.LastIndexByte(image, ':'); at > strings.LastIndexByte(image, '/') {
		image = image[:at]
	}
	for _, prefix := range []string{"registry-1.docker.io/", "index.docker.io/", "docker.io/", "library/"} {
		image = strings.TrimPrefix(image, prefix)
	}
	return image
}

// isAddress reports whether a word is an IP address, perhaps with a port or a prefix.
func isAddress(word string) bool {
	if len(word) < 3 || strings.IndexByte(word, '.') < 0 && strings.IndexByte(word, ':') < 0 {
		return false
	}
	word, _, _ = strings.Cut(word, "/")
	if _, err := netip.ParseAddr(word); err == nil {
		return true
	}
	_, err := netip.ParseAddrPort(word)
	return err == nil
}

// host replaces a host or an address. What follows it, such as a port, goes with it, except the length of
// a prefix.
func (r *redactor) host(text string) string {
	if !isAddress(text) {
		if plain(text) {
			return text
		}
		return "host-" + r.word(text)
	}
	addr, prefix, sliced := strings.Cut(text, "/")
	if sliced {
		prefix = "/" + prefix
	}
	return r.address(addr) + prefix
}

// address returns the address that replaces one in this file.
func (r *redactor) address(addr string) string {
	made := r.words["\x00"+addr]
	for n := 0; made == ""; n++ {
		if made = randomAddress(strings.Count(addr, ":") > 1, n < 8); r.used[made] {
			made = ""
		}
	}
	r.words["\x00"+addr], r.used[made] = made, true
	return made
}

// randomAddress returns an address that is nobody's: of 2001:db8::/32, of 198.18.0.0/15 or, if that is crowded, of
// 240.0.0.0/5.
func randomAddress(six, roomy bool) string {
	n := rand.Uint32()
	b := [4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
	switch {
	case six:
		return netip.AddrFrom16([16]byte{0: 0x20, 1: 1, 2: 0x0d, 3: 0xb8, 12: b[0], 13: b[1], 14: b[2], 15: b[3]}).String()
	case roomy:
		b[0], b[1] = 198, 18+b[1]&1
	default:
		b[0] = 240 | b[0]&7
	}
	return netip.AddrFrom4(b).String()
}

// plain reports whether nothing in a text is worth replacing.
func plain(text string) bool {
	return strings.IndexFunc(text, func(c rune) bool { return c != '*' && c != '-' && (c < '0' || c > '9') }) < 0 || text == "None" || text == "localhost"
}
