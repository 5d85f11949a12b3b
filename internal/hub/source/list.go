package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// listQuiet is how long ReadList waits for the next event. Without a limit, a list that
// something on the way holds back would block it for as long as the tab is open.
const listQuiet = 30 * time.Second

var (
	errQuiet      = &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "nothing received from the apiserver"}
	errIncomplete = &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "the list was interrupted"}
)

// ReadList reads a list once, or one page of it, and calls item with the bytes of each
// object. It returns an error unless all of the list, or of the page, has come.
func ReadList(ctx context.Context, server reflector.Source, r wire.Request, item func(payload []byte)) (meta wire.ListMeta, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	quiet := time.AfterFunc(listQuiet, func() { cancel(errQuiet) })
	defer quiet.Stop()
	ended, unread := false, error(nil)
	r.Verb = wire.List
	err = ReadEvents(ctx, server, r, func(e wire.Event) bool {
		quiet.Reset(listQuiet)
		switch e.Type {
		case wire.Item:
			item(e.Payload)
		case wire.ListEnd:
			ended, unread = true, json.Unmarshal(e.Payload, &meta)
		}
		return !ended
	})
	switch {
	case err != nil && errors.Is(context.Cause(ctx), errQuiet):
		return meta, errQuiet
	case err == nil && !ended:
		return meta, errIncomplete
	}
	return meta, errors.Join(err, unread)
}

// Retry calls read again, at most tries times, while it fails because the server asks to wait.
func Retry(ctx context.Context, tries int, read func() error) error {
	for {
		err := read()
		status := wire.StatusOf(err)
		if err == nil || status == nil || !status.TooManyRequests() || tries <= 0 {
			return err
		}
		tries--
		select {
		case <-ctx.Done():
			return err
		case <-time.After(max(status.Wait(), time.Second)):
		}
	}
}

// ReadEvents calls more with each event of a stream until it returns false or the stream
// ends. An error event ends the stream too, and is returned.
func ReadEvents(ctx context.Context, server reflector.Source, r wire.Request, more func(wire.Event) bool) error {
	stream, err := server.Open(ctx, r)
	if err != nil {
		return err
	}
	defer stream.Close()
	for {
		batch, err := stream.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		for _, e := range batch.Events {
			if e.Type == wire.Error {
				return readStatus(e.Payload)
			}
			if !more(e) {
				return nil
			}
		}
		stream.Credit(batch.Bytes)
	}
}

// readStatus returns the Status of an error event.
func readStatus(payload []byte) error {
	var s wire.Status
	if err := json.Unmarshal(payload, &s); err != nil {
		return fmt.Errorf("an error event without a status: %w", err)
	}
	return &s
}
