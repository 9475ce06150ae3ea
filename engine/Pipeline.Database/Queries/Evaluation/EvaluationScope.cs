using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Documents;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Evaluation;

/// <summary>
/// The meaning of names while one result is made: the document, aliases, loaded documents, and parameters of functions.
/// </summary>
internal sealed class EvaluationScope
{
    private readonly Stack<(string Name, ScriptValue? Value, Document? Document)> _names = new();

    /// <summary>The start of paths without an alias: the document, or the entry of the index.</summary>
    internal required ScriptValue? Root { get; init; }

    /// <summary>The document that was found; null for a result that is not one.</summary>
    internal required Document? Document { get; init; }

    /// <summary>The score; null where results have none.</summary>
    internal double? Score { get; init; }

    /// <summary>The keys of the groups, where the query groups.</summary>
    internal IReadOnlyList<FieldSyntax> GroupKeys { get; init; } = [];

    /// <summary>Gives a value a name, until <see cref="Pop"/>.</summary>
    internal void Push(string name, ScriptValue? value, Document? document = null) =>
        _names.Push((name, value, document));

    /// <summary>Forgets the names that were given last.</summary>
    internal void Pop(int count)
    {
        for (; count > 0; count--)
            _names.Pop();
    }

    /// <summary>Looks a name up, the last given first.</summary>
    internal bool TryGet(string name, out ScriptValue? value, out Document? document)
    {
        foreach ((var known, var found, var of) in _names)
        {
            if (known != name)
                continue;
            (value, document) = (found, of);
            return true;
        }

        (value, document) = (null, null);
        return false;
    }
}
