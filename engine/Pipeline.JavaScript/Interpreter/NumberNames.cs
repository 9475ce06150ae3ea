using Acornima;
using Acornima.Ast;

namespace Pipeline.JavaScript;

/// <summary>
/// Finds the variables of a text that always hold numbers, so that additions to them need no check. A name has one
/// meaning in the whole text.
/// </summary>
internal static class NumberNames
{
    /// <summary>The names.</summary>
    public static HashSet<string> Find(Node root)
    {
        var values = new Dictionary<string, List<Node?>>(StringComparer.Ordinal);
        var waiting = new Stack<Node>([root]);
        while (waiting.TryPop(out var node))
        {
            Note(node, values);
            foreach (var child in node.ChildNodes)
                waiting.Push(child);
        }

        var names = new HashSet<string>(values.Keys, StringComparer.Ordinal);
        while (names.RemoveWhere(name => !values[name].TrueForAll(v => v is not null && IsNumber(v, names))) > 0) { }

        return names;
    }

    /// <summary>Whether an expression returns a number, or a truth value, which adds as one.</summary>
    public static bool IsNumber(Node node, HashSet<string> names) =>
        node switch
        {
            NumericLiteral or BooleanLiteral or UpdateExpression => true,
            UnaryExpression
            {
                Operator: Operator.UnaryNegation or Operator.UnaryPlus or Operator.BitwiseNot or Operator.LogicalNot
            } => true,
            NonLogicalBinaryExpression { Operator: Operator.Addition } sum => IsNumber(sum.Left, names)
                && IsNumber(sum.Right, names),
            NonLogicalBinaryExpression => true,
            ParenthesizedExpression inner => IsNumber(inner.Expression, names),
            Identifier name => names.Contains(name.Name),
            _ => false,
        };

    private static void Note(Node node, Dictionary<string, List<Node?>> values)
    {
        switch (node)
        {
            case VariableDeclarator { Id: Identifier name } declared:
                Add(name.Name, declared.Init);
                break;
            case VariableDeclarator declared:
                Pattern(declared.Id);
                break;
            case AssignmentExpression { Left: Identifier name } assigned:
                if (
                    assigned.Operator
                    is Operator.Assignment
                        or Operator.AdditionAssignment
                        or Operator.NullishCoalescingAssignment
                        or Operator.LogicalOrAssignment
                        or Operator.LogicalAndAssignment
                )
                {
                    Add(name.Name, assigned.Right);
                }

                break;
            case AssignmentExpression assigned:
                Pattern(assigned.Left);
                break;
            case IFunction function:
                foreach (var parameter in function.Params)
                    Pattern(parameter);
                if (function.Id is { } id)
                    Add(id.Name, null);
                break;
            case IClass { Id: { } type }:
                Add(type.Name, null);
                break;
            case CatchClause { Param: { } caught }:
                Pattern(caught);
                break;
            case ForInStatement each:
                Pattern(each.Left);
                break;
            case ForOfStatement each:
                Pattern(each.Left);
                break;
        }

        void Add(string name, Node? value)
        {
            if (!values.TryGetValue(name, out var known))
                values[name] = known = [];
            known.Add(value);
        }

        void Pattern(Node pattern)
        {
            var waiting = new Stack<Node>([pattern]);
            while (waiting.TryPop(out var part))
            {
                if (part is Identifier name)
                    Add(name.Name, null);
                foreach (var child in part.ChildNodes)
                    waiting.Push(child);
            }
        }
    }
}
