// Package releases is part of hop 7 of 8: Helm's releases, as a source made of another one.
//
// In: the metadata of the Secrets in which Helm stores its revisions, as a Reflector reads them. Out:
// a stream with a row for each release, at the same versions, so that a Reflector resumes, polls and
// audits it, and says why it may not be read, as with any list of the server.
package releases
