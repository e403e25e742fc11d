// A component without a picture: it only says in which language all the others are.
export default function ({ data }) {
  document.documentElement.lang = data;
}
