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
