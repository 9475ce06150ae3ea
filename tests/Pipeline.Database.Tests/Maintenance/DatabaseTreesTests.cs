using System.Reflection;
using Pipeline.Documents;
using Xunit;

namespace Pipeline.Database.Tests.Maintenance;

public sealed class DatabaseTreesTests
{
    [Fact]
    public void SalvageKnowsEveryTree()
    {
        var names = typeof(DatabaseTrees)
            .GetFields(BindingFlags.Static | BindingFlags.NonPublic)
            .Where(f => f.IsLiteral)
            .Select(f => (string)f.GetRawConstantValue()!);

        Assert.Equal(
            names.Order(StringComparer.Ordinal),
            DatabaseTrees.Fixed.Concat(DatabaseTrees.Derived).Order(StringComparer.Ordinal)
        );
    }
}
