// The ribbons (model/pictures/ribbons.js) in the app; __init__.py says what arrives here.

export default mount(RibbonsView);
