namespace Pipeline.Scripting;

/// <summary>One message as the script sent it.</summary>
public readonly ref struct ScriptMessage
{
    /// <summary>Topic, queue or file.</summary>
    public required string Destination { get; init; }

    /// <summary>The body as UTF-8 JSON; valid during <see cref="IScriptOutput.Send"/> only.</summary>
    public required ReadOnlySpan<byte> Body { get; init; }

    /// <summary>Key or routing key; <see langword="null"/> where the script gave none.</summary>
    public string? Key { get; init; }

    /// <summary>CloudEvents id; <see langword="null"/> where the script gave none.</summary>
    public string? Id { get; init; }

    /// <summary>CloudEvents type; <see langword="null"/> where the script gave none.</summary>
    public string? Type { get; init; }

    /// <summary>CloudEvents source; <see langword="null"/> where the script gave none.</summary>
    public string? Source { get; init; }
}

/// <summary>An attachment of the current document, as a script sees it.</summary>
/// <param name="Name">Its name.</param>
/// <param name="ContentType">Its content type.</param>
/// <param name="Hash">The hash of its content, in Base64.</param>
/// <param name="Content">Its content.</param>
public sealed record ScriptAttachment(string Name, string ContentType, string Hash, ReadOnlyMemory<byte> Content);

/// <summary>Where a transform's messages go.</summary>
public interface IScriptOutput
{
    /// <summary>
    /// Takes one message; called in the order of the script's <c>send</c> calls, on the thread that runs the script.
    /// </summary>
    /// <param name="message">Its spans are valid during the call only.</param>
    void Send(in ScriptMessage message);
}
