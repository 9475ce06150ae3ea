using Pipeline.Documents;
using Pipeline.Scripting;

namespace Pipeline.Database.Indexes;

/// <summary>A definition that cannot be an index.</summary>
public sealed class InvalidIndexException : Exception
{
    /// <summary>Creates the error.</summary>
    public InvalidIndexException(string name, string reason, IReadOnlyList<ScriptError> errors)
        : base(
            $"The index '{DocumentKeys.Printable(name)}' cannot be made: {reason}.{string.Concat(errors.Select(e => "\n" + e))}"
        )
    {
        Name = name;
        Errors = errors;
    }

    /// <summary>The index's name.</summary>
    public string Name { get; }

    /// <summary>The errors in its C#, each with its place; empty if the reason is another one.</summary>
    public IReadOnlyList<ScriptError> Errors { get; }
}
