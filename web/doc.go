// Package web is part of hop 8 of 8, the page around the grid. It joins the packages below it, and has what is left of
// the page: the address, the lock, the keys, the top bar, the help, and what the page is in a frame.
//
// In: the worker's patches, states and details, and what the browser reports. Out: requests to the worker, and the drawn
// page. A Page holds the lock and passes each report to a part. A part owns its state, its actions and its drawing, and
// does not touch the browser. Most parts are packages, such as web/list and web/past. Each states what it needs of the
// page in an interface, Host; page implements it in host.go and in a file for each package, such as host_list.go. A part
// that is a package reaches the rest of the page through its Host only; those in this package reach each other. What the
// page shows is in its address, a route.Address, which the parts change.
//
// The shell draws the parts with go-app; web/dom touches the browser. The package has one variable that changes, thePage,
// because go-app creates components from nothing but their type.
//
// # The way of a row
//
// A change of an object goes through 20 files from the wire to the pixel. Each hands it to the next:
//
//  1. wasm/main_js.go: jsConn.receive queues a message of the WebSocket
//  2. internal/socket/client.go: Client.read queues the frame at its Stream
//  3. internal/socket/stream.go: Stream.Next returns the events of the frame
//  4. internal/reflector/watch.go: handleObject has the object of an event decoded (of a list: list.go)
//  5. internal/object/decode.go: Decoder.Decode makes the object, with the cells of its row
//  6. internal/reflector/source.go: deliver gives it to the informer's queue
//  7. internal/deltafifo/fifo.go: DeltaFIFO.Update queues it
//  8. internal/deltafifo/batch.go: DeltaFIFO.Pop passes a batch on
//  9. internal/informer/informer.go: Informer.process stores the batch, and tells its subscriptions
//  10. internal/hub/list/listing.go: listing.apply gives the changes to the view, and requests a step of the loop
//  11. internal/view/view.go: View.Apply keeps them until StepAt sorts and filters them
//  12. internal/view/window.go: View.window returns the patch: what differs in the rows in sight
//  13. internal/hub/list/list_patches.go: List.send sends it, when a patch is due
//  14. internal/port/port_js.go: JSPort takes it from the worker to the page
//  15. web/page.go: Page.Run takes the lock
//  16. web/parts.go: page.receive passes the message to its part
//  17. web/list/list.go: List.OnPatch applies the patch to its window, and paints
//  18. web/grid/grid.go: Grid.Show finds the cells that differ from what is painted
//  19. web/grid/paint_js.go: DOM.Paint carries out the steps in one call
//  20. web/static/paint.js: watchglassPaint changes the elements
//
// Not counted is what these call and what returns to them: the formats (internal/wire, internal/port/codec.go,
// web/grid/paint.go), the store (internal/indexer), and view.Window.Apply. Nor are worker.js and boot.js of web/static,
// which pass messages on as they are, and the loop that calls List.Step when it is time: hub.go, page.go and
// page_items.go of internal/hub, and list.go of internal/hub/list.
//
// # The way of a key
//
// A key that moves the mark to a row out of sight goes through 8 files, until the patch with that row begins the way
// above at 11:
//
//  1. web/dom/events_js.go: Browser.press makes a ui.Key of the event
//  2. web/front.go: Page.Press asks the open parts in front, such as the palette
//  3. web/table.go: table.ofKey finds the command that has the key, here one of web/list/list.go
//  4. web/list/mark.go: List.step moves the mark, and scrolls
//  5. web/host_list.go: page.SendQueries asks all that follows the address
//  6. web/list/send.go: List.SendQuery sends a port.ListQuery, with the rows in sight now
//  7. internal/hub/page.go: Page.query finds the list of the ID
//  8. internal/hub/list/list.go: List.SetQuery gives the query to the view
//
// Other keys differ in 4 and 5: most change the address with page.Navigate (parts.go), which calls SendQueries.
package web
