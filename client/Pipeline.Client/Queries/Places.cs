using System.Diagnostics.CodeAnalysis;
using System.Linq.Expressions;
using System.Reflection;

namespace Pipeline.Client.Queries;

/// <summary>Writes the conditions and orders of <see cref="SpatialQueryable"/>.</summary>
[RequiresUnreferencedCode("Reads the members that expressions name.")]
[RequiresDynamicCode("Evaluates the values that expressions hold.")]
internal sealed class Places(QueryPlan plan, DocumentStoreOptions options)
{
    private static readonly string[] Latitudes = ["Latitude", "Lat"];
    private static readonly string[] Longitudes = ["Longitude", "Lon", "Lng", "Long"];

    /// <summary>The condition of a call of <c>Spatial</c>.</summary>
    public string Condition(MethodCallExpression call) =>
        ((Func<SpatialAreas, SpatialArea>)((ConstantExpression)call.Arguments[^1]).Value!)(new SpatialAreas(plan))
            .Condition(Place(call));

    /// <summary>The order of a call of <c>OrderByDistance</c>.</summary>
    public string Order(MethodCallExpression call, bool isDescending)
    {
        var place = Place(call);
        var (latitude, longitude) = (
            SpatialAreas.Number(plan, Number(call.Arguments[^2])),
            SpatialAreas.Number(plan, Number(call.Arguments[^1]))
        );
        return $"spatial.distance({place}, spatial.point({latitude}, {longitude})){(isDescending ? " desc" : "")}";
    }

    private static double Number(Expression expression) => (double)((ConstantExpression)expression).Value!;

    private string Place(MethodCallExpression call)
    {
        var first = MemberPath.Lambda(call.Arguments[1])!;
        if (MemberPath.Lambda(call.Arguments[2]) is { } second)
            return $"spatial.point({Conditions.Quote(MemberPath.Of(first, options))}, {Conditions.Quote(MemberPath.Of(second, options))})";
        var path = MemberPath.Of(first, options);
        if (plan.IsOfIndex)
            return Conditions.Quote(path);
        var type = first.Body is UnaryExpression { NodeType: ExpressionType.Convert } converted
            ? converted.Operand.Type
            : first.Body.Type;
        type = Nullable.GetUnderlyingType(type) ?? type;
        if (type == typeof(string))
            return $"spatial.wkt({Conditions.Quote(path)})";
        return Member(type, Latitudes) is { } latitude && Member(type, Longitudes) is { } longitude
            ? $"spatial.point({Conditions.Quote($"{path}.{latitude}")}, {Conditions.Quote($"{path}.{longitude}")})"
            : throw new UnsupportedExpressionException(
                first.Body.ToString(),
                $"{type.Name} has no Latitude and Longitude; give two lambdas for the two numbers"
            );
    }

    /// <summary>The name in JSON of a type's first member with one of some names.</summary>
    private string? Member(Type type, string[] names) =>
        names
            .Select(name => type.GetProperty(name) ?? (MemberInfo?)type.GetField(name))
            .OfType<MemberInfo>()
            .Select(m => MemberPath.NameOf(m, options))
            .FirstOrDefault();
}
