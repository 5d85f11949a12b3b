package object

// Kinds by which storage drivers describe themselves.

func csiNodes(release) *printer {
	return namedPrinter().count("Drivers", "spec.drivers[]").age().printer()
}

func csiDrivers(release) *printer {
	return namedPrinter().
		flag("AttachRequired", "spec.attachRequired", "true", "false", "true").
		boolean("PodInfoOnMount", "spec.podInfoOnMount").
		boolean("StorageCapacity", "spec.storageCapacity").
		texts("TokenRequests", "spec.tokenRequests[].audience", unset).
		boolean("RequiresRepublish", "spec.requiresRepublish").
		texts("Modes", "spec.volumeLifecycleModes[]", none).
		age().
		printer()
}

// csiStorageCapacities prints the default columns: the server defines others but does not use
// them.
func csiStorageCapacities(release) *printer { return namedPrinter().created().printer() }

func volumeAttachments(release) *printer {
	return namedPrinter().
		text("Attacher", "spec.attacher", "").
		text("PV", "spec.source.persistentVolumeName", "").
		text("Node", "spec.nodeName", "").
		boolean("Attached", "status.attached").
		age().
		printer()
}

func volumeAttributesClasses(release) *printer {
	return namedPrinter().text("DriverName", "driverName", "").age().printer()
}
