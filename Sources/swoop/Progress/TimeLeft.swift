/// The time that is left, without jumping about: the moment of the end moves slowly towards what the present speed
/// says.
struct TimeLeft: Sendable {
  /// On the clock of the caller, in seconds.
  private var end: Double?
  private var lastUpdate = 0.0

  /// In so many seconds an error would be gone, were it to fall as fast as it begins to.
  private static let inertia = 3.0

  /// Takes the seconds that the present speed says, nil where it says nothing, and gives those to show.
  mutating func update(_ present: Double?, at now: Double) -> Double? {
    guard let present else {
      end = nil
      return nil
    }
    let weight = min(1, max(0, now - lastUpdate) / Self.inertia)
    lastUpdate = now
    var left = (end ?? now + present) - now
    left += (now + present - now - left) * weight
    // Never far from what is true now.
    left = min(max(left, present / 2), present * 2)
    end = now + left
    return left
  }
}
