// Akka's specifications say for how long nothing may come: they run alone.
[assembly: Xunit.CollectionBehavior(DisableTestParallelization = true)]
