using System.Globalization;
using Acornima;
using Acornima.Ast;

namespace Pipeline.JavaScript;

/// <summary>
/// Finds the places of a text where a call of ours must check the run. The engine checks it at statements and calls
/// only, and within one expression it may join long texts, copy large objects, or evaluate many thousand operands.
/// </summary>
/// <remarks>
/// The tree is walked in the order of evaluation. Results that may be long texts are measured, values that are
/// spread in an object are checked before they are copied, and at most <see cref="MaxUnchecked"/> nodes are evaluated between two checks.
/// </remarks>
internal sealed class MeasuredPlaces(Node root)
{
    // Small additions to a text allocate, and so they are counted. Only adding long texts to each other grows a text
    // without allocations.
    private const int ShortText = 16;
    private const int MaxJoined = 8;
    private const int MaxUnchecked = 64;

    // An addition of a short text copies a long one when it is used.
    private const int SumWeight = 32;

    // A list of arguments or elements copies at most ScriptEngine.MaxArray references, or one for each character.
    private const int SpreadWeight = 32;

    private readonly Stack<(Node Node, Node? Parent, int Sums, bool IsLeft)> _waiting = new();
    private readonly List<Edit> _edits = [];
    private readonly HashSet<string> _numbers = NumberNames.Find(root);
    private readonly HashSet<Node> _wrapped = [];
    private int _unchecked;

    /// <summary>
    /// An insertion before or behind a node. Sorted, the calls around one place are nested as their nodes are.
    /// </summary>
    /// <param name="Position">Where it is inserted.</param>
    /// <param name="IsEnd">Whether it ends what another one begins.</param>
    /// <param name="Length">The characters of the node.</param>
    /// <param name="IsOuter">Whether it is around another insertion at the same node.</param>
    /// <param name="Text">What is inserted.</param>
    public readonly record struct Edit(int Position, bool IsEnd, int Length, bool IsOuter, string Text)
        : IComparable<Edit>
    {
        /// <inheritdoc/>
        public int CompareTo(Edit other)
        {
            if (Position != other.Position)
                return Position.CompareTo(other.Position);
            if (IsEnd != other.IsEnd)
                return IsEnd ? -1 : 1;
            var inner = Length != other.Length ? Length.CompareTo(other.Length) : IsOuter.CompareTo(other.IsOuter);
            return IsEnd ? inner : -inner;
        }
    }

    /// <summary>Walks the tree.</summary>
    /// <returns>The insertions in the order of the text.</returns>
    public List<Edit> Find()
    {
        _waiting.Push((root, null, 0, false));
        while (_waiting.TryPop(out var next))
        {
            if (next.IsLeft)
            {
                Leave(next.Node, next.Parent);
                continue;
            }

            _waiting.Push(next with { IsLeft = true });
            var sums = Enter(next.Node, next.Parent, next.Sums);
            Node[] children = [.. next.Node.ChildNodes];
            for (var i = children.Length - 1; i >= 0; i--)
                _waiting.Push((children[i], next.Node, sums, false));
        }

        _edits.Sort();
        return _edits;
    }

    /// <summary>Wraps what must be checked wherever it stands.</summary>
    /// <returns>The additions that the node's operands are part of, up to one that is measured.</returns>
    private int Enter(Node node, Node? parent, int sums)
    {
        switch (node)
        {
            case BinaryExpression { Operator: Operator.Addition } sum:
                if (sums % MaxJoined == 0)
                {
                    if (IsShort(sum.Left) || IsShort(sum.Right))
                        return sums;
                    Wrap(sum, JavaScriptText.Measure);
                }

                return sums + 1;
            case ParenthesizedExpression:
                return sums;
            case AssignmentExpression { Operator: Operator.AdditionAssignment } sum
                when !IsShort(sum.Right) && !IsStatement(sum, parent):
                Append(sum);
                return 0;
            case AssignmentExpression { Left: ObjectPattern or ArrayPattern } assignment
                when ScriptGrammar.CountRests(assignment.Left) > 0:
                Wrap(
                    assignment.Right,
                    assignment.Left is ObjectPattern ? JavaScriptText.Spread : JavaScriptText.Measure
                );
                return 0;
            case VariableDeclarator { Init: { } init } variable when ScriptGrammar.CountRests(variable.Id) > 0:
                Wrap(init, variable.Id is ObjectPattern ? JavaScriptText.Spread : JavaScriptText.Measure);
                return 0;
            case AssignmentPattern pattern:
                CheckBefore(pattern.Right);
                return 0;
            case PropertyDefinition { Value: { } value }:
                CheckBefore(value);
                return 0;
            case TemplateLiteral { Expressions.Count: > 0 } template when parent is not TaggedTemplateExpression:
                Wrap(template, JavaScriptText.Measure);
                if (template.Expressions.Count <= MaxJoined)
                    return 0;
                foreach (var part in template.Expressions)
                    Wrap(part, JavaScriptText.Join);
                return 0;
            case NewExpression made:
                Wrap(made, JavaScriptText.Chain);
                return 0;
            case ObjectProperty
            {
                Computed: false,
                Key: Identifier { Name: "__proto__" } or StringLiteral { Value: "__proto__" }
            } prototype:
                Wrap(prototype.Value, JavaScriptText.Chain);
                return 0;
            case IClass { SuperClass: { } parentClass }:
                Wrap(parentClass, JavaScriptText.Chain);
                return 0;
            case SpreadElement spread when parent is ObjectExpression:
                Wrap(spread.Argument, JavaScriptText.Spread);
                return 0;
            default:
                return 0;
        }
    }

    private void Leave(Node node, Node? parent)
    {
        if (_wrapped.Contains(node))
        {
            _unchecked = 0;
        }
        else if (node is SpreadElement)
        {
            _unchecked += SpreadWeight;
        }
        else if (node is Expression)
        {
            _unchecked +=
                node is BinaryExpression { Operator: Operator.Addition } && !NumberNames.IsNumber(node, _numbers)
                    ? SumWeight
                    : 1;
        }

        if (_unchecked < MaxUnchecked || parent is null || !Takes(parent, node))
            return;
        Wrap(node, JavaScriptText.Measure);
        _unchecked = 0;
    }

    /// <summary>
    /// A statement that only appends to a variable makes at most one long text, and is itself checked.
    /// </summary>
    private static bool IsStatement(AssignmentExpression sum, Node? parent) =>
        parent is ExpressionStatement && sum.Left is Identifier;

    /// <summary>
    /// Measures the variable's length: passing the text to a function would copy the text appended to it.
    /// </summary>
    private void Append(AssignmentExpression sum)
    {
        if (sum.Left is Identifier { Name: var name })
        {
            Add(
                sum,
                isOuter: false,
                "(",
                string.Create(
                    CultureInfo.InvariantCulture,
                    $", {name}.length > {JavaScriptText.MaxUnmeasured} && {JavaScriptText.Length}({name}.length), {name})"
                )
            );
        }
        else
        {
            Wrap(sum, JavaScriptText.Measure);
        }
    }

    /// <summary>
    /// Checks the run before a default value or a field's value, which is not in a statement of its function: the
    /// function could call itself there until the stack ends.
    /// </summary>
    private void CheckBefore(Node value)
    {
        if (value is not (Literal or Identifier or IFunction))
            Add(value, isOuter: true, "(" + JavaScriptText.Length + "(0), ", ")");
    }

    private void Wrap(Node node, string function)
    {
        if (!_wrapped.Add(node))
            return;
        var isList = node is SequenceExpression;
        Add(node, isOuter: true, isList ? function + "((" : function + "(", isList ? "))" : ")");
    }

    private void Add(Node node, bool isOuter, string before, string after)
    {
        _edits.Add(new Edit(node.Start, false, node.End - node.Start, isOuter, before));
        _edits.Add(new Edit(node.End, true, node.End - node.Start, isOuter, after));
    }

    /// <summary>Whether a call may stand for a child without changing what the parent means.</summary>
    private static bool Takes(Node parent, Node child) =>
        child is not (IFunction or ClassExpression or SpreadElement or SequenceExpression or PrivateIdentifier)
        && parent switch
        {
            ArrayExpression
            or SequenceExpression
            or LogicalExpression
            or NonLogicalBinaryExpression
            or ConditionalExpression => true,
            TemplateLiteral or SpreadElement or ReturnStatement => true,
            CallExpression call => child != call.Callee,
            NewExpression made => child != made.Callee,
            ObjectProperty property => (property.Computed && child == property.Key)
                || (
                    child == property.Value && property is { Shorthand: false, Method: false, Kind: PropertyKind.Init }
                ),
            AssignmentProperty property => property.Computed && child == property.Key,
            PropertyDefinition field => child == field.Value || (field.Computed && child == field.Key),
            MethodDefinition method => method.Computed && child == method.Key,
            MemberExpression member => member.Computed && child == member.Property,
            VariableDeclarator variable => child == variable.Init,
            AssignmentExpression assignment => child == assignment.Right,
            AssignmentPattern pattern => child == pattern.Right,
            SwitchCase label => child == label.Test,
            _ => false,
        };

    private bool IsShort(Node node) =>
        node switch
        {
            StringLiteral text => text.Value.Length <= ShortText,
            UnaryExpression => true,
            MemberExpression { Computed: false, Property: Identifier { Name: "length" } } => true,
            ParenthesizedExpression inner => IsShort(inner.Expression),
            _ => NumberNames.IsNumber(node, _numbers),
        };
}
