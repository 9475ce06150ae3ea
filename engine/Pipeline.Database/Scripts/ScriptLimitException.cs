namespace Pipeline.Database.Scripts;

/// <summary>A run went over one of its <see cref="ScriptLimits"/>.</summary>
public sealed class ScriptLimitException : ScriptRuntimeException
{
    /// <summary>Creates the error.</summary>
    public ScriptLimitException(string limit, string value, string? source = null, int line = 0, int column = 0)
        : base($"The script was stopped: it went over {limit} = {value}.", source, line, column)
    {
        Limit = limit;
        Value = value;
    }

    /// <summary>Name of the limit, as in <see cref="ScriptLimits"/>.</summary>
    public string Limit { get; }

    /// <summary>The limit's value.</summary>
    public string Value { get; }
}
