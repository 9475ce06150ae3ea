using System.Linq.Expressions;

namespace Pipeline.Client.Queries;

/// <summary>Finds the current time in an expression.</summary>
internal sealed class TimeDependence : ExpressionVisitor
{
    private string? _found;

    public static string? Find(Expression expression)
    {
        var finder = new TimeDependence();
        finder.Visit(expression);
        return finder._found;
    }

    protected override Expression VisitMember(MemberExpression node)
    {
        if (node.Expression is null && node.Member.Name is "Now" or "UtcNow" or "Today")
            _found = $"{node.Member.DeclaringType!.Name}.{node.Member.Name}";
        return base.VisitMember(node);
    }

    protected override Expression VisitMethodCall(MethodCallExpression node)
    {
        if (node.Method.Name is nameof(Guid.NewGuid) or nameof(Guid.CreateVersion7) or nameof(TimeProvider.GetUtcNow))
            _found = $"{node.Method.DeclaringType!.Name}.{node.Method.Name}";
        return base.VisitMethodCall(node);
    }
}
