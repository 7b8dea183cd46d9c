internal import DownloadCore

/// `swoop curl 'URL' -H '...' ...`: a browser's "Copy as cURL", the words of it or the whole of it in one word.
extension Arguments {
  /// Takes what the line says; `place` is that of its first word after the command's own name.
  mutating func takeCurlLine(_ words: [String], at place: Int) throws(DownloadError) {
    let isWhole = words.count == 1 && words[0].contains(where: \.isWhitespace)
    let line: CurlCommandLine
    do {
      line = try isWhole ? CurlCommandLine(words[0]) : CurlCommandLine(words: words)
    } catch {
      throw .usage("swoop curl: \(error.words)")
    }
    guard !line.isInsecure || http.isInsecure else {
      throw .usage("swoop curl: the line's -k counts only if you give it too: swoop -k curl ...")
    }
    isPasted = true
    leftOutOfCurlLine = line.leftOut
    if isWhole { secrets.append(SecretSpan(word: place, bytes: 0..<words[0].utf8.count)) }
    for value in line.values {
      if !isWhole { blank(value, in: words[value.word], at: place + value.word) }
      try take(value)
    }
  }

  private mutating func take(_ value: CurlCommandLine.Value) throws(DownloadError) {
    switch value.part {
    case .url: operands.append(value.text)
    case .header: headers.append(try HeaderLine.field(value.text))
    // curl sends what several `-b` say in one field.
    case .cookie: http.cookie = try [http.cookie, Text.cookie(value.text)].compactMap(\.self).joined(separator: "; ")
    case .userAgent: http.userAgent = try Text.line(value.text, of: "--user-agent")
    case .referer: http.referer = try Text.line(value.text, of: "--referer")
    case .user: http.credentials = try Text.credentials(value.text)
    }
  }

  private mutating func blank(_ value: CurlCommandLine.Value, in word: String, at place: Int) {
    let typed = String(decoding: word.utf8.dropFirst(value.offset), as: UTF8.self)
    secrets += value.part.secret.ranges(in: typed).map {
      SecretSpan(word: place, bytes: $0.lowerBound + value.offset..<$0.upperBound + value.offset)
    }
  }
}

extension CurlCommandLine.Part {
  /// What of it nobody else should read. Pages have tokens in their addresses, too.
  fileprivate var secret: SecretPart {
    switch self {
    case .url, .referer, .userAgent: .url
    case .header: .headerValue
    case .cookie: .whole
    case .user: .password
    }
  }
}

extension CurlCommandLine.Problem {
  /// Without any of the line but the names of options.
  fileprivate var words: String {
    switch self {
    case .windowsForm: "the line is for Windows' cmd; copy it again, as cURL (bash)"
    case .otherTool(let name): "'\(name)' is no curl line; copy it again, as cURL (bash)"
    case .tooLong: "the line is longer than 1 MiB"
    case .openQuote: "a quote is not closed; was the whole line copied?"
    case .notText: "a word is no text"
    case .severalCommands: "there is more than one command; paste them one by one"
    case .shellSyntax(let sign): "the line has a '\(sign)' that a shell would act upon; no shell is run"
    case .noURL: "there is no URL in the line"
    case .severalURLs: "there is more than one URL in the line"
    case .pattern: "the URL has brackets or braces, a pattern to curl: put a backslash before each, or -g in the line"
    case .noValue(let name): "\(name) needs a value"
    case .file(let name): Self.ownOption(name) ?? "\(name) names a file: a pasted line may not"
    case .proxy(let name): "\(name) is about a proxy: a pasted line may not name one; swoop -x URL curl ... does"
    case .body(let name): "\(name) makes it another request than a download"
    case .method: "only GET is a download"
    case .unknown(let name): Self.ownOption(name) ?? "a pasted line may not have \(name)"
    }
  }

  /// It may be one of swoop's, in the wrong place; nil where it is none.
  private static func ownOption(_ name: String) -> String? {
    let bare = name.drop { $0 == "-" }
    let flag = name.hasPrefix("--") ? Flags.named(bare) : bare.first.flatMap { Flags.named($0) }
    guard let flag, flag.isBuilt, flag.category != .habits else { return nil }
    let typed = name + (flag.takesValue ? " ..." : "")
    return "a pasted line may not have \(name); put swoop's options before curl: swoop \(typed) curl ..."
  }
}
