using System.Globalization;
using Acornima.Ast;

namespace Pipeline.JavaScript;

/// <summary>Holds a parsed text to the part of the language that scripts have.</summary>
/// <remarks>
/// Jint evaluates expressions and resumes generators recursively without a stack check between function calls and
/// statements, so both are bounded here.
/// <c>BigInt</c> is refused because one multiplication can run for minutes, asynchronous functions because nothing
/// awaits them.
/// </remarks>
internal sealed class ScriptGrammar
{
    // An evaluated level takes about 1 KiB of stack. RunLimits keeps far more at each statement; before the first
    // statement of a function there is only Jint's own reserve of 128 KiB.
    private const int MaxDepth = 200;
    private const int MaxUncheckedDepth = 60;

    // A rest copies an object, and nothing is checked within a pattern.
    private const int MaxRests = 2;

    private readonly Stack<(Node Node, int Depth, int MaxDepth)> _waiting = new();

    /// <summary>Begins with a text's tree.</summary>
    public ScriptGrammar(Node root) => Root = root;

    /// <summary>The tree.</summary>
    public Node Root { get; }

    /// <summary>Reads the tree.</summary>
    /// <returns>The refused syntax, or <see langword="null"/>.</returns>
    public (Node Node, string Message)? Read()
    {
        _waiting.Push((Root, 0, MaxDepth));
        while (_waiting.TryPop(out var next))
        {
            if (next.Depth > next.MaxDepth)
            {
                return (
                    next.Node,
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"the script is nested more than {next.MaxDepth} levels deep here; split it into statements or functions"
                    )
                );
            }

            if (Refused(next.Node) is { } message)
                return (next.Node, message);
            Children(next.Node, next.Depth + 1, next.MaxDepth);
        }

        return null;
    }

    private static string? Refused(Node node) =>
        node switch
        {
            IFunction { Generator: true } => "generator functions may not be used in a script; return an array",
            IFunction { Async: true } or AwaitExpression =>
                "asynchronous functions may not be used in a script: a run is synchronous",
            ForOfStatement { Await: true } => "'for await' may not be used in a script: a run is synchronous",
            BigIntLiteral =>
                "BigInt may not be used in a script; write a number, or a text for a number that is too large",
            ImportExpression or MetaProperty { Meta.Name: "import" } => "modules may not be used in a script",
            Identifier { Name: var name } when name.StartsWith(JavaScriptText.Reserved, StringComparison.Ordinal) =>
                $"the name '{name}' is reserved",
            ObjectPattern when CountRests(node) > MaxRests =>
                $"a pattern may have at most {MaxRests} rests ('...'); split it into statements",
            _ => null,
        };

    private void Children(Node node, int depth, int maxDepth)
    {
        switch (node)
        {
            case IFunction function:
                foreach (var parameter in function.Params)
                    _waiting.Push((parameter, 0, MaxUncheckedDepth));
                _waiting.Push((function.Body, 0, function.Body is BlockStatement ? MaxDepth : MaxUncheckedDepth));
                if (function.Id is { } id)
                    _waiting.Push((id, 0, MaxDepth));
                break;
            case PropertyDefinition field:
                foreach (var child in field.ChildNodes)
                    _waiting.Push((child, depth, MaxUncheckedDepth));
                break;
            default:
                foreach (var child in node.ChildNodes)
                    _waiting.Push((child, depth, maxDepth));
                break;
        }
    }

    /// <summary>The rests of a pattern, which each copy an object.</summary>
    public static int CountRests(Node pattern)
    {
        (var rests, var waiting) = (0, new Stack<Node>([pattern]));
        while (waiting.TryPop(out var node))
        {
            if (node is RestElement)
                rests++;
            foreach (var child in node.ChildNodes)
            {
                if (child is ObjectPattern or ArrayPattern or AssignmentProperty or AssignmentPattern or RestElement)
                    waiting.Push(child);
            }
        }

        return rests;
    }
}
