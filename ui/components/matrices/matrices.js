export default mount(MatricesView);
