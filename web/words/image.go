package words

import (
	"strings"

	"watchglass/internal/detail/revision"
	"watchglass/internal/port"
)

const (
	wholeImage  = 20 // characters of an image that is not elided
	imageStem   = 10 // characters of its registry that show at most
	digestShown = 12 // characters of a digest
)

// ShortImage elides the middle of an image: what is left of its registry, and its name with its
// tag. A digest shows its first characters, which tell it from others.
func ShortImage(image string) (stem, tail string) {
	image, digest, _ := strings.Cut(image, "@")
	if hash, bare := strings.CutPrefix(image, "sha256:"); bare {
		image, digest = "", hash
	}
	if _, hash, ok := strings.Cut(digest, ":"); ok {
		digest = hash
	}
	digest = digest[:min(len(digest), digestShown)]
	if image != "" && digest != "" {
		digest = "@" + digest
	}
	at := strings.LastIndexByte(image, '/') + 1
	stem, tail = image[:at], image[at:]+digest
	if at == 0 || len(image)+len(digest) <= wholeImage {
		return stem, tail
	}
	stem, _, _ = strings.Cut(stem, "/")
	if dot := strings.IndexAny(stem, ".:"); dot > 0 {
		stem = stem[:dot]
	}
	return stem[:min(len(stem), imageStem)] + "…/", tail
}

// imageParts returns the name of an image without its registry, and its tag or the beginning of its
// digest.
func imageParts(image string) (name, version string) {
	_, tail := ShortImage(image)
	if name, digest, ok := strings.Cut(tail, "@"); ok {
		name, _, _ = strings.Cut(name, ":")
		return name, digest[:min(len(digest), shortDigest)]
	}
	if name, tag, ok := strings.Cut(tail, ":"); ok {
		return name, tag
	}
	return tail, "latest"
}

// Images returns what changed in each image, without registries: "api 1.4.2 → 1.5.0".
func Images(images []port.ImageChange) []string {
	if len(images) == 0 {
		return []string{"Pod template changed"}
	}
	out := make([]string, len(images))
	for i, c := range images {
		from, version := imageParts(c.From)
		name, to := imageParts(c.To)
		switch {
		case c.From == "":
			out[i] = name + " " + to + newImage
		case from == name:
			out[i] = name + " " + version + " → " + to
		default:
			out[i] = from + " " + version + " → " + name + " " + to
		}
	}
	return out
}

// newImage says that a container is new.
const newImage = " (new container)"

// shortDigest is how many characters of a digest tell a rollout's images apart.
const shortDigest = 7

// RevisionImages returns the images of a revision, and what each replaced: "web 1.4 → 1.5".
func RevisionImages(v *revision.Revision) (all []string) {
	for _, i := range v.Images {
		if i.From != "" || i.New {
			all = append(all, Images([]port.ImageChange{{From: i.From, To: i.Image}})...)
			continue
		}
		name, version := imageParts(i.Image)
		all = append(all, name+" "+version)
	}
	return all
}
