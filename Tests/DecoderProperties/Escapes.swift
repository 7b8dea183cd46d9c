/// The text with each of these code points written otherwise; an accent behind one makes it no other character.
func escaped(_ text: String, _ escapes: [Unicode.Scalar: String]) -> String {
  var view = String.UnicodeScalarView()
  for scalar in text.unicodeScalars { view.append(contentsOf: (escapes[scalar] ?? String(scalar)).unicodeScalars) }
  return String(view)
}
