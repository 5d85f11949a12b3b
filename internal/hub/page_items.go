package hub

import (
	"slices"
	"time"

	"watchglass/internal/hub/cluster"
)

// item is what a page has open under an ID that it chose.
type item interface {
	ID() uint32
	Step(now time.Time)
	Close(atOnce bool)
}

// movable is what shows the same in another cluster when the page goes to the past.
type movable[T any] interface {
	item
	Cluster() *cluster.Cluster
	MovedTo(c *cluster.Cluster, now time.Time) T
}

// byID returns what is open under an ID; the zero value if nothing is.
func byID[T item](all []T, id uint32) (found T) {
	for _, one := range all {
		if one.ID() == id {
			return one
		}
	}
	return found
}

// closeByID closes what is open under an ID, and returns the rest.
func closeByID[T item](all []T, id uint32) []T {
	return slices.DeleteFunc(all, func(one T) bool {
		if one.ID() == id {
			one.Close(false)
		}
		return one.ID() == id
	})
}

func stepAll[T item](all []T, now time.Time) {
	for _, one := range all {
		one.Step(now)
	}
}

func closeAll[T item](all []T) {
	for _, one := range all {
		one.Close(true)
	}
}

// moveAll reopens in a cluster what is open in another one.
func moveAll[T movable[T]](all []T, from, to *cluster.Cluster, now time.Time) {
	for i, one := range all {
		if one.Cluster() == from {
			all[i] = one.MovedTo(to, now)
			one.Close(false)
		}
	}
}
