namespace Pipeline.Scripting;

/// <summary>A script failed while it ran. The base of the errors below.</summary>
public class ScriptRuntimeException : Exception
{
    /// <summary>Creates the error.</summary>
    public ScriptRuntimeException(
        string message,
        string? source = null,
        int line = 0,
        int column = 0,
        Exception? inner = null
    )
        : base(message, inner)
    {
        ScriptSource = source;
        Line = line;
        Column = column;
    }

    /// <summary>Name of the helper it happened in; <see langword="null"/> for the script itself.</summary>
    public string? ScriptSource { get; }

    /// <summary>Line of the user's text, from 1; 0 if it is unknown.</summary>
    public int Line { get; }

    /// <summary>Column of the statement in that line, from 1; 0 if it is unknown.</summary>
    public int Column { get; }
}
