using Pipeline.Documents;
using Pipeline.Subscriptions;
using Xunit;

namespace Pipeline.Etl.Tests.Subscriptions;

public sealed class LeaseTableTests
{
    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(1);

    [Fact]
    public void A_partition_goes_to_another_only_when_its_former_worker_has_nothing_of_it()
    {
        var leases = new LeaseTable();
        var first = leases.Join("first", Duration, 0);
        DeliveryItem[] items =
        [
            .. Enumerable
                .Range(0, 1000)
                .Select(i => new DeliveryItem(
                    new Change(i + 1, ChangeKind.Put, $"k{i}", "As", default, default),
                    default
                )),
        ];
        foreach (var item in items)
            first.Begin(item);
        var second = leases.Join("second", Duration, 0);
        Assert.Equal((DeliveryPartition.Count / 2, 0), (first.PartitionCount, second.PartitionCount));
        foreach (var item in items)
            first.End(item);
        Assert.True(leases.HandOver());
        Assert.Equal(
            (DeliveryPartition.Count / 2, DeliveryPartition.Count / 2),
            (first.PartitionCount, second.PartitionCount)
        );
    }

    [Fact]
    public void What_was_promised_to_a_worker_that_left_stays_with_the_one_that_has_it()
    {
        var leases = new LeaseTable();
        var first = leases.Join("first", Duration, 0);
        DeliveryItem[] items =
        [
            .. Enumerable
                .Range(0, 1000)
                .Select(i => new DeliveryItem(
                    new Change(i + 1, ChangeKind.Put, $"k{i}", "As", default, default),
                    default
                )),
        ];
        foreach (var item in items)
            first.Begin(item);
        var second = leases.Join("second", Duration, 0);
        leases.Leave(second, new SubscriptionException("s", SubscriptionProblem.Closed, "left"));
        Assert.Equal(DeliveryPartition.Count, first.PartitionCount);
    }
}
