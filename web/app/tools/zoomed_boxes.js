// A picture may be in an element with `zoom`. WebKit 2.50, the engine of Safari, then gives the box
// of the picture in the pixels of that element, but the position of the pointer in pixels of the
// screen. Other browsers follow the standard: both are in pixels of the screen.

/** Makes boxes standard in a browser without `currentCSSZoom`, which came with the standard. */
export function standardiseBoxes() {
  if ("currentCSSZoom" in Element.prototype) return;
  const get = function () {
    return zoomOf(this);
  };
  Object.defineProperty(Element.prototype, "currentCSSZoom", { get });
  const boxOfElement = Element.prototype.getBoundingClientRect;
  Element.prototype.getBoundingClientRect = function () {
    return enlarged(boxOfElement.call(this), this.currentCSSZoom);
  };
  const boxOfRange = Range.prototype.getBoundingClientRect;
  Range.prototype.getBoundingClientRect = function () {
    const node = this.commonAncestorContainer;
    const element = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
    return enlarged(boxOfRange.call(this), element?.currentCSSZoom ?? 1);
  };
}

// Returns the zoom of an element and of all elements around it, also of those outside its shadow
// root.
function zoomOf(element) {
  const parent = element.parentElement ?? element.getRootNode().host;
  const own = Number(getComputedStyle(element).zoom) || 1;
  return parent ? own * zoomOf(parent) : own;
}

function enlarged({ x, y, width, height }, zoom) {
  return new DOMRect(zoom * x, zoom * y, zoom * width, zoom * height);
}
