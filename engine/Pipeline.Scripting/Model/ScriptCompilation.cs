using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Scripting;

/// <summary>A compiled script, or all the errors that it has.</summary>
public sealed class ScriptCompilation<T>
    where T : class
{
    internal ScriptCompilation(T? script, IReadOnlyList<ScriptError> errors)
    {
        Script = script;
        Errors = errors;
    }

    /// <summary>The script; <see langword="null"/> if there are errors.</summary>
    public T? Script { get; }

    /// <summary>The errors, in the order of the text.</summary>
    public IReadOnlyList<ScriptError> Errors { get; }

    /// <summary>Whether it compiled.</summary>
    [MemberNotNullWhen(true, nameof(Script))]
    public bool Succeeded => Script is not null;
}
