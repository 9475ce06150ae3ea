using System.Globalization;
using Acornima;
using Acornima.Ast;

namespace Pipeline.Database.Scripts.JavaScript;

/// <summary>Holds a parsed text to the part of the language that scripts have, and finds the additions whose results must be measured.</summary>
/// <remarks>
/// Jint evaluates expressions and resumes generators recursively without a look at the stack between function calls and statements, so both are bounded here.
/// <c>BigInt</c> is refused because one multiplication can run for minutes, asynchronous functions because nobody waits for them.
/// </remarks>
internal sealed class ScriptGrammar
{
    // An evaluated level takes about 1 KiB of stack. RunLimits keeps far more at each statement; before the first statement of a function there is only Jint's own reserve of 128 KiB.
    private const int MaxDepth = 200;
    private const int MaxUncheckedDepth = 60;

    // What is added to a text bit by bit is allocated, and so counted. Only adding long texts to each other grows without that.
    private const int ShortText = 16;

    private readonly Stack<(Node Node, int Depth, int MaxDepth, bool IsMeasured)> _waiting = new();
    private readonly List<Node> _measured = [];
    private readonly HashSet<string> _numbers;

    /// <summary>Begins with a text's tree.</summary>
    public ScriptGrammar(Node root) => (Root, _numbers) = (root, NumberNames.Find(root));

    /// <summary>The tree.</summary>
    public Node Root { get; }

    /// <summary>The additions whose results must be measured, each the outermost of its kind.</summary>
    public IReadOnlyList<Node> Measured => _measured;

    /// <summary>Reads the tree.</summary>
    /// <returns>What is refused, or <see langword="null"/>.</returns>
    public (Node Node, string Message)? Read()
    {
        _waiting.Push((Root, 0, MaxDepth, false));
        while (_waiting.TryPop(out (Node Node, int Depth, int MaxDepth, bool IsMeasured) next))
        {
            if (next.Depth > next.MaxDepth)
                return (next.Node, string.Create(CultureInfo.InvariantCulture, $"the script is nested more than {next.MaxDepth} levels deep here; split it into statements or functions"));
            if (Refused(next.Node) is { } message) return (next.Node, message);
            Children(next.Node, next.Depth + 1, next.MaxDepth, Measure(next.Node, next.IsMeasured));
        }

        return null;
    }

    private static string? Refused(Node node) => node switch
    {
        IFunction { Generator: true } => "generator functions may not be used in a script; return an array",
        IFunction { Async: true } or AwaitExpression => "asynchronous functions may not be used in a script: a run is synchronous",
        ForOfStatement { Await: true } => "'for await' may not be used in a script: a run is synchronous",
        BigIntLiteral => "BigInt may not be used in a script; write a number, or a text for a number that is too large",
        ImportExpression or MetaProperty { Meta.Name: "import" } => "modules may not be used in a script",
        Identifier { Name: ScriptText.Measure } => $"the name '{ScriptText.Measure}' is reserved",
        _ => null,
    };

    private void Children(Node node, int depth, int maxDepth, bool isMeasured)
    {
        switch (node)
        {
            case IFunction function:
                foreach (Node parameter in function.Params) _waiting.Push((parameter, 0, MaxUncheckedDepth, false));
                _waiting.Push((function.Body, 0, function.Body is BlockStatement ? MaxDepth : MaxUncheckedDepth, false));
                if (function.Id is { } id) _waiting.Push((id, 0, MaxDepth, false));
                break;
            case PropertyDefinition field:
                foreach (Node child in field.ChildNodes) _waiting.Push((child, depth, MaxUncheckedDepth, false));
                break;
            default:
                foreach (Node child in node.ChildNodes) _waiting.Push((child, depth, maxDepth, isMeasured));
                break;
        }
    }

    /// <summary>Notes an addition that may join long texts.</summary>
    /// <returns>Whether the operands are part of an addition that is noted.</returns>
    private bool Measure(Node node, bool isMeasured)
    {
        switch (node)
        {
            case BinaryExpression { Operator: Operator.Addition } sum:
                if (!isMeasured && !IsShort(sum.Left) && !IsShort(sum.Right)) _measured.Add(sum);
                return isMeasured || (_measured.Count > 0 && ReferenceEquals(_measured[^1], sum));
            case AssignmentExpression { Operator: Operator.AdditionAssignment } sum:
                if (!IsShort(sum.Right)) _measured.Add(sum);
                return false;
            case ParenthesizedExpression:
                return isMeasured;
            default:
                return false;
        }
    }

    private bool IsShort(Node node) => node switch
    {
        StringLiteral text => text.Value.Length <= ShortText,
        UnaryExpression => true,
        MemberExpression { Computed: false, Property: Identifier { Name: "length" } } => true,
        ParenthesizedExpression inner => IsShort(inner.Expression),
        _ => NumberNames.IsNumber(node, _numbers),
    };
}
