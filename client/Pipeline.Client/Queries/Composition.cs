using System.Diagnostics.CodeAnalysis;
using System.Linq.Expressions;

namespace Pipeline.Client.Queries;

/// <summary>
/// Puts one lambda behind another: <c>Select(o => new { o, N = o.Count })</c> and then <c>Where(t => t.N > 1)</c> is
/// <c>Where(o => o.Count > 1)</c>.
/// </summary>
internal sealed class Composition : ExpressionVisitor
{
    private readonly ParameterExpression _result;
    private readonly Expression _made;

    private Composition(ParameterExpression result, Expression made) => (_result, _made) = (result, made);

    /// <summary>The second lambda, of what the first one is made of.</summary>
    [RequiresDynamicCode("Makes the type of a delegate.")]
    public static LambdaExpression Of(LambdaExpression first, LambdaExpression second) =>
        Expression.Lambda(new Composition(second.Parameters[0], first.Body).Visit(second.Body)!, first.Parameters);

    public override Expression? Visit(Expression? node) => node == _result ? _made : base.Visit(node);

    protected override Expression VisitMember(MemberExpression node) =>
        node.Expression is not null && Visit(node.Expression) is { } owner
            ? Source(owner, node.Member.Name) is { } source && source.Type == node.Type
                ? source
                : node.Update(owner)
            : node;

    /// <summary>What a member of a made object was given.</summary>
    private static Expression? Source(Expression made, string member) =>
        made switch
        {
            NewExpression { Members: { } members } created => members
                .Select((m, i) => m.Name == member ? created.Arguments[i] : null)
                .FirstOrDefault(a => a is not null),
            NewExpression created when created.Constructor?.GetParameters() is { } parameters => parameters
                .Select(
                    (p, i) =>
                        string.Equals(p.Name, member, StringComparison.OrdinalIgnoreCase) ? created.Arguments[i] : null
                )
                .FirstOrDefault(a => a is not null),
            MemberInitExpression set => set
                .Bindings.OfType<MemberAssignment>()
                .FirstOrDefault(b => b.Member.Name == member)
                ?.Expression,
            _ => null,
        };
}
